"""Binary classification with the probit link."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.likelihoods.labels import Labels
from particlegvi.functionspace.likelihoods.likelihood import checked

ROOT_HALF = math.sqrt(0.5)
LOG_ROOT_2_PI = 0.5 * math.log(2.0 * math.pi)
DENSITY_AT_0 = 1.0 / math.sqrt(2.0 * math.pi)
TAIL = -30.0  # below it erfc loses digits, then underflows, and the asymptotic series is right to 1e-12


class _Fields(NamedTuple):
    steepness: float = 1.0


class BernoulliProbit(_Fields, Labels):
    """Probit classification: P(y = 1 | f) = Phi(steepness f), the normal distribution function; labels 0 and 1.

    Parameters
    ----------
    steepness : float
        1 for the standard probit.
    """

    __slots__ = ()

    name = "bernoulli-probit"
    source = "thesis, (D.212), with phi the normal distribution function"
    convex = True

    def __new__(cls, steepness: float = 1.0) -> BernoulliProbit:
        return super().__new__(cls, *checked(steepness=steepness))

    @property
    def curvature_bound(self) -> float:  # type: ignore[override]
        """steepness^2, approached where the label is improbable."""
        return self.steepness**2

    def cost_at(self, f: float, y: float) -> float:
        t = self.steepness * f if y > 0.5 else -self.steepness * f
        if t > 0.0:
            return -math.log1p(-0.5 * math.erfc(t * ROOT_HALF))
        if t > TAIL:
            return -math.log(0.5 * math.erfc(-t * ROOT_HALF))
        q = 1.0 / (t * t)
        return 0.5 * t * t + LOG_ROOT_2_PI + math.log(-t) - math.log1p(q * (-1.0 + q * (3.0 - 15.0 * q)))

    def slope_at(self, f: float, y: float) -> float:
        t = self.steepness * f if y > 0.5 else -self.steepness * f
        if t > TAIL:
            mills = DENSITY_AT_0 * math.exp(-0.5 * t * t) / (0.5 * math.erfc(-t * ROOT_HALF))
        else:
            q = 1.0 / (t * t)
            mills = -t / (1.0 + q * (-1.0 + q * (3.0 - 15.0 * q)))
        return -self.steepness * mills if y > 0.5 else self.steepness * mills

    def curvature_at(self, f: float, y: float) -> float:
        t = self.steepness * f if y > 0.5 else -self.steepness * f
        scale = self.steepness * self.steepness
        if t > TAIL:
            mills = DENSITY_AT_0 * math.exp(-0.5 * t * t) / (0.5 * math.erfc(-t * ROOT_HALF))
            return scale * mills * (mills + t)
        q = 1.0 / (t * t)
        return scale * (1.0 - q * (1.0 - q * (6.0 - 50.0 * q)))

    def probability(self, f: ArrayLike) -> Array:
        """P(y = 1 | f)."""
        from scipy.special import ndtr

        return ndtr(self.steepness * np.asarray(f, dtype=np.float64))

    def information(self, f: ArrayLike) -> Array:
        """Fisher information about f: phi^2 / (Phi (1 - Phi))."""
        return np.abs(self.slope(f, 0.0) * self.slope(f, 1.0))

    def log_density(self, y: ArrayLike, f: ArrayLike) -> Array:
        """log P(y | f)."""
        return -self.cost(f, y)
