"""Counts whose rate is the square of the function."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.likelihoods.counts import Counts
from particlegvi.functionspace.likelihoods.likelihood import checked

TINY = 1e-150  # its square is a normal number


class _Fields(NamedTuple):
    guard: float = 1e-10


class PoissonSquare(_Fields, Counts):
    """Poisson counts with rate f^2, and the cost f^2 - 2 y log|f|.

    The cost has a pole at f = 0 where y >= 1: no diffusion crosses it, and the signs there stay as they were at the
    start unless moves of another kind change them. It does not change with the sign of f.

    Parameters
    ----------
    guard : float
        The first and second derivatives of 2 y log|f| are taken at least this far from the pole, on the same side.
    """

    __slots__ = ()

    name = "poisson-square"
    source = "thesis, (D.215)-(D.218)"
    even = True

    def __new__(cls, guard: float = 1e-10) -> PoissonSquare:
        return super().__new__(cls, *checked(guard=guard))

    def cost_at(self, f: float, y: float) -> float:
        return f * f - 2.0 * y * math.log(max(math.fabs(f), TINY))

    def slope_at(self, f: float, y: float) -> float:
        away = math.copysign(max(math.fabs(f), self.guard), f)
        return 2.0 * f - 2.0 * y / away

    def curvature_at(self, f: float, y: float) -> float:
        away = max(math.fabs(f), self.guard)
        return 2.0 + 2.0 * y / (away * away)

    def tamed(self) -> PoissonSquare:
        """With a guard of 0.3, where the density of f has all but vanished for y >= 1."""
        return PoissonSquare(guard=0.3)

    def levels(self, y: Array) -> Array:
        """Plus and minus the roots of the counts."""
        return np.stack([np.sqrt(y), -np.sqrt(y)])

    def rate(self, f: ArrayLike) -> Array:
        """f^2."""
        return np.square(np.asarray(f, dtype=np.float64))

    def information(self, f: ArrayLike) -> Array:
        """Fisher information about f: 4 for every f."""
        return np.full(np.shape(f), 4.0)
