"""Binary classification with the logistic link."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.likelihoods.labels import Labels
from particlegvi.functionspace.likelihoods.likelihood import checked


class _Fields(NamedTuple):
    steepness: float = 1.0


class BernoulliLogistic(_Fields, Labels):
    """Logistic classification: P(y = 1 | f) = 1 / (1 + exp(-steepness f)); the labels are 0 and 1.

    Parameters
    ----------
    steepness : float
        1 in the thesis.
    """

    __slots__ = ()

    name = "bernoulli-logistic"
    source = "thesis, (D.212)-(D.214)"
    convex = True

    def __new__(cls, steepness: float = 1.0) -> BernoulliLogistic:
        return super().__new__(cls, *checked(steepness=steepness))

    @property
    def curvature_bound(self) -> float:  # type: ignore[override]
        """steepness^2 / 4."""
        return 0.25 * self.steepness**2

    @property
    def slope_bound(self) -> float:  # type: ignore[override]
        """steepness."""
        return self.steepness

    def cost_at(self, f: float, y: float) -> float:
        t = self.steepness * f
        # log(1 + e^t) - y t, without overflow
        return math.log1p(math.exp(-math.fabs(t))) + (max(t, 0.0) - y * t)

    def slope_at(self, f: float, y: float) -> float:
        t = self.steepness * f
        small = math.exp(-math.fabs(t))
        upper = 1.0 / (1.0 + small)
        probability = upper if t >= 0.0 else small * upper
        return self.steepness * (probability - y)

    def curvature_at(self, f: float, y: float) -> float:
        small = math.exp(-math.fabs(self.steepness * f))
        return self.steepness * self.steepness * small / ((1.0 + small) * (1.0 + small))

    def probability(self, f: ArrayLike) -> Array:
        """P(y = 1 | f)."""
        from scipy.special import expit

        return expit(self.steepness * np.asarray(f, dtype=np.float64))

    def information(self, f: ArrayLike) -> Array:
        """Fisher information about f."""
        return self.curvature(f, 0.0)

    def log_density(self, y: ArrayLike, f: ArrayLike) -> Array:
        """log P(y | f)."""
        return -self.cost(f, y)
