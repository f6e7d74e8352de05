"""The prior mean of a process: zero, a number, or a function of the inputs, beside a centred process."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.tools.arguments import points, real, vector

PriorMean: TypeAlias = float | Callable[[Array], ArrayLike] | None
ALLOWED = "a number, a function of inputs (n, dim), or None"


def checked(mean: PriorMean) -> PriorMean:
    """The prior mean, or a ValueError if it is neither a number, a function nor None."""
    return mean if mean is None or callable(mean) else real("prior_mean", mean, ALLOWED)


def at(mean: PriorMean, X: ArrayLike) -> Array | float:
    """The prior mean at inputs (n, dim): (n,), or one number for all of them."""
    if not callable(mean):
        return 0.0 if mean is None else mean
    x = points("X", X)
    return vector("prior_mean(X)", mean(x), len(x))


def added(mean: PriorMean, X: ArrayLike, centred: Array) -> Array:
    """Values (..., n) at inputs (n, dim) of a centred process, plus the prior mean."""
    return centred if mean is None else centred + at(mean, X)
