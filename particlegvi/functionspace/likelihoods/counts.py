"""Likelihoods of counts, whose rate is the exponential or the square of the function."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.likelihoods.likelihood import Likelihood, Random, checked, generator

TINY = 1e-150  # its square is a normal number


class Counts(Likelihood):
    """A Poisson likelihood with a ``rate``."""

    __slots__ = ()

    def rate(self, f: ArrayLike) -> Array:
        raise NotImplementedError

    def check_targets(self, y: ArrayLike, rows: int) -> Array:
        """The counts as an array (rows,) of whole numbers from 0 on."""
        counts = super().check_targets(y, rows)
        wrong = counts[(counts < 0.0) | (counts != np.floor(counts))]
        if wrong.size:
            raise ValueError(f"y must be counts, whole numbers of at least 0, not {wrong[0]:g}")
        return counts

    def mean(self, f: ArrayLike) -> Array:
        return self.rate(f)

    def variance(self, f: ArrayLike) -> Array:
        return self.rate(f)

    def log_density(self, y: ArrayLike, f: ArrayLike) -> Array:
        from scipy.special import gammaln, xlogy

        rate = self.rate(f)
        return xlogy(y, rate) - rate - gammaln(np.asarray(y, dtype=np.float64) + 1.0)

    def sample(self, f: ArrayLike, random: Random = None) -> Array:
        return generator(random).poisson(self.rate(f)).astype(np.float64)


class _Log(NamedTuple):
    exposure: float = 1.0


class PoissonLog(_Log, Counts):
    """Poisson counts with rate exposure * exp(f), and the cost exposure * exp(f) - y f.

    Parameters
    ----------
    exposure : float
        A factor of every rate, for example the length of time over which events are counted.
    """

    __slots__ = ()

    name = "poisson-log"
    source = "McCullagh and Nelder, Generalized Linear Models, 1989, chapter 6"
    convex = True

    def __new__(cls, exposure: float = 1.0) -> PoissonLog:
        return super().__new__(cls, *checked(exposure=exposure))

    def cost_at(self, f: float, y: float) -> float:
        return self.exposure * math.exp(f) - y * f

    def slope_at(self, f: float, y: float) -> float:
        return self.exposure * math.exp(f) - y

    def curvature_at(self, f: float, y: float) -> float:
        return self.exposure * math.exp(f)

    def rate(self, f: ArrayLike) -> Array:
        return self.exposure * np.exp(np.asarray(f, dtype=np.float64))

    def information(self, f: ArrayLike) -> Array:
        """Fisher information about f: the rate."""
        return self.rate(f)


class _Square(NamedTuple):
    guard: float = 1e-10


class PoissonSquare(_Square, Counts):
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
        return np.stack([np.sqrt(y), -np.sqrt(y)])

    def rate(self, f: ArrayLike) -> Array:
        return np.square(np.asarray(f, dtype=np.float64))

    def information(self, f: ArrayLike) -> Array:
        """Fisher information about f: 4 for every f."""
        return np.full(np.shape(f), 4.0)
