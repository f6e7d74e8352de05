"""Likelihoods of labels 0 and 1: binary classification with the logistic link."""

from __future__ import annotations

import math
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.likelihoods.likelihood import Likelihood, Random, checked, generator
from particlegvi.tools.arguments import labels


class Labels(Likelihood):
    """A likelihood of labels with a ``probability`` of the label 1."""

    __slots__ = ()

    def probability(self, f: ArrayLike) -> Array:
        """P(y = 1 | f)."""
        raise NotImplementedError

    def check_targets(self, y: ArrayLike, rows: int) -> Array:
        """The labels as an array (rows,) of zeros and ones."""
        return labels(super().check_targets(y, rows))

    def levels(self, y: Array) -> Array:
        return np.empty((0, len(y)))

    def log_density(self, y: ArrayLike, f: ArrayLike) -> Array:
        return -self.cost(f, y)

    def mean(self, f: ArrayLike) -> Array:
        """Mean of y given f: the probability of the label 1."""
        return self.probability(f)

    def variance(self, f: ArrayLike) -> Array:
        p = self.probability(f)
        return p * (1.0 - p)

    def sample(self, f: ArrayLike, random: Random = None) -> Array:
        p = self.probability(f)
        return (generator(random).random(p.shape) < p).astype(np.float64)


class _Steepness(NamedTuple):
    steepness: float = 1.0


class BernoulliLogistic(_Steepness, Labels):
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

    def __new__(cls, steepness: float = 1.0) -> Self:
        return super().__new__(cls, *checked(steepness=steepness))

    @property
    def curvature_bound(self) -> float:  # type: ignore[override]
        """steepness^2 / 4."""
        return 0.25 * self.steepness**2

    @property
    def slope_bound(self) -> float:  # type: ignore[override]
        """steepness."""
        return self.steepness

    def slope_range(self, y: ArrayLike) -> tuple[Array, Array]:
        """Between 0 and steepness for the label 0, between -steepness and 0 for the label 1."""
        labels = np.asarray(y, dtype=np.float64)
        return -self.steepness * labels, self.steepness * (1.0 - labels)

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
        from scipy.special import expit

        return expit(self.steepness * np.asarray(f, dtype=np.float64))

    def information(self, f: ArrayLike) -> Array:
        return self.curvature(f, 0.0)
