"""The flat prior: Lebesgue measure, under which only the loss and the repulsion shape the flow."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.engine.terms.constant import ConstantTerm
from particlegvi.priors.parameters import FromParameters
from particlegvi.tools.arguments import MOST_COORDINATES, frozen, locations, whole
from particlegvi.tools.calls import explains_bad_calls


@explains_bad_calls
class Flat(FromParameters):
    """Flat prior: a constant density on the whole space, which is not a probability (thesis, C.7.2).

    Its log density and its mean embedding are constant, so it adds nothing to the drift. It cannot be sampled: a run
    needs `initial`.

    Parameters
    ----------
    dim : int
        Number of coordinates.

    Attributes
    ----------
    dim : int
    low, high : arrays (dim,)
        Minus and plus infinity.
    """

    name = "flat"
    written = ("dim",)

    def __init__(self, dim: int = 1) -> None:
        self.dim = whole("dim", dim, 1, MOST_COORDINATES)
        self.low = frozen(np.full(self.dim, -np.inf))
        self.high = frozen(np.full(self.dim, np.inf))

    def log_density(self, x: ArrayLike) -> Array:
        """Zero at points (n, dim), shape (n,)."""
        return np.zeros(len(locations(x, self.dim)))

    def gradient(self, x: ArrayLike) -> Array:
        """Zero at points (n, dim), shape (n, dim)."""
        return np.zeros_like(locations(x, self.dim))

    def sample(self, particles: int, seed: int = 0, role: str = "start") -> Array:
        """Always a ValueError: Lebesgue measure is not a probability."""
        raise ValueError("the flat prior cannot be sampled; give `initial`")

    def term(self) -> ConstantTerm:
        """Minus the log density, for the engine: zero."""
        return ConstantTerm(0.0)
