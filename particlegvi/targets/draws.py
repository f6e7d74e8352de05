"""Draws that stand for a truth which nobody can compute: those of a long run of another sampler."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.tools import arguments

LEAST = 50


class Draws:
    """A target that is known by draws alone.

    Attributes
    ----------
    kind : str
        "draws".
    dim : int
    draws : array (n, dim)
    mean, variance : float, or array (dim,)
        The mean and variance of the draws.
    """

    kind: Literal["draws"] = "draws"

    def __init__(self, draws: Array) -> None:
        self.draws = draws
        self.dim = draws.shape[1]
        mean, variance = draws.mean(axis=0), draws.var(axis=0)
        self.mean, self.variance = (mean[0], variance[0]) if self.dim == 1 else (mean, variance)

    def sample(self, number: int, /, seed: int = 0) -> Array:
        """So many of the draws (number, dim) in random order; with repetitions only where there are fewer."""
        chosen = np.random.default_rng(seed).choice(len(self.draws), number, replace=number > len(self.draws))
        return self.draws[chosen]

    def quantile(self, u: ArrayLike) -> Array:
        """Quantiles of the draws on the line."""
        return np.quantile(self.draws[:, 0], np.asarray(u, dtype=np.float64))


def draws_of(reference: object, dim: int) -> Array:
    """The draws (n, dim) of a ``reference``, checked; a number for each draw is enough on the line."""
    return np.array(arguments.points("reference", reference, dim, least=LEAST), order="C")
