"""The truth of a method of a user, whose objective the package does not know: the method says it."""

from __future__ import annotations

from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from particlegvi.contracts import Array, Loss, Prior, Start
from particlegvi.targets.density import AtomicTarget, DensityTarget
from particlegvi.targets.draws import Draws, draws_of
from particlegvi.targets.gaussians import GaussianOptima
from particlegvi.tools import arguments

Truth: TypeAlias = DensityTarget | AtomicTarget | GaussianOptima | Draws


@runtime_checkable
class OwnTruth(Protocol):
    """An optional part of a `Method`.

    ``target(loss, prior, initial)`` returns what `particlegvi.target` does, or draws (n, dim) of the truth. The start
    is a prior, or points (particles, dim).
    """

    @property
    def label(self) -> str: ...
    def target(self, loss: Loss, prior: Prior, initial: Start | None, /) -> Truth | Array: ...


def own_truth(method: OwnTruth, loss: Loss, prior: Prior, initial: Start | None) -> Truth:
    """The truth that a method says; a ValueError if it fails, is none, or has another dimension than the loss."""
    words, dim = f"target(loss, prior, initial) of {method.label}", int(loss.dim)
    try:
        truth = method.target(loss, prior, initial)
    except Exception as error:
        raise ValueError(f"{words} failed: {error!r}") from error
    if isinstance(truth, np.ndarray):
        return Draws(draws_of(truth, dim))
    if not isinstance(truth, Truth) or truth.dim != dim:
        raise arguments.refuse(words, truth, f"what pg.target returns for dim {dim}, or draws, an array (n, {dim})")
    return truth
