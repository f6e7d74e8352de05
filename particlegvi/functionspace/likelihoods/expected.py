"""The cost of a row averaged over the residual: E c(y_n, f + s_n Z), Z standard normal, the summand of V* in (6.22).

Averages are Gauss-Hermite sums, whose slope and curvature are those of the sum. A cost with a pole, such as that of the
rate f^2, has no such sum.

The kernels of sampling pass a value and a target for each row. So the ``y`` of this likelihood is a row's number from 1
on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.engine.terms.own_parts import PointwiseLikelihood
from particlegvi.functionspace.likelihoods.likelihood import Likelihood
from particlegvi.tools.arguments import refuse
from particlegvi.tools.registry import look_up

DATA_COSTS = ("mean", "expected")
NODES = 32


def check_data_cost(data_cost: str, residual: str) -> None:
    """Refuse an unknown ``data_cost``, and an expected one over the printed residual, which is no covariance."""
    look_up("data_cost", data_cost, dict.fromkeys(DATA_COSTS))
    if residual == "thesis" and data_cost != "mean":
        raise ValueError(f'data_cost must be "mean" with residual="thesis", not "{data_cost}"')


def expected(likelihood: Likelihood, variances: Array, y: Array) -> tuple[Likelihood, Array]:
    """The likelihood of expected costs for rows with these variances and targets, and its targets, (n,) each.

    A quadratic cost changes by a constant only, and is returned as it is.
    """
    if likelihood.quadratic:
        return likelihood, y
    if likelihood.even:
        raise refuse("the likelihood for an expected cost", likelihood, "one whose cost has no pole")
    assert isinstance(likelihood, PointwiseLikelihood)
    spreads, observed = np.sqrt(variances), np.ascontiguousarray(y, dtype=np.float64)
    places, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return Expected(likelihood, spreads, observed, places, weights / weights.sum()), np.arange(1.0, len(y) + 1.0)


class _Sums(NamedTuple):
    inner: PointwiseLikelihood
    spreads: Array
    observed: Array
    places: Array
    weights: Array


class Expected(_Sums, Likelihood):
    """Expected costs of any likelihood without a pole; the methods of (f, y) alone are defined."""

    __slots__ = ()

    @property
    def convex(self) -> bool:  # type: ignore[override]
        return self.inner.convex

    @property
    def curvature_bound(self) -> float:  # type: ignore[override]
        return self.inner.curvature_bound

    def cost_at(self, f: float, y: float) -> float:
        n, total = int(y) - 1, 0.0
        for q in range(self.places.shape[0]):
            total += self.weights[q] * self.inner.cost_at(f + self.spreads[n] * self.places[q], self.observed[n])
        return total

    def slope_at(self, f: float, y: float) -> float:
        n, total = int(y) - 1, 0.0
        for q in range(self.places.shape[0]):
            total += self.weights[q] * self.inner.slope_at(f + self.spreads[n] * self.places[q], self.observed[n])
        return total

    def curvature_at(self, f: float, y: float) -> float:
        n, total = int(y) - 1, 0.0
        for q in range(self.places.shape[0]):
            total += self.weights[q] * self.inner.curvature_at(f + self.spreads[n] * self.places[q], self.observed[n])
        return total

    def information(self, f: ArrayLike) -> Array:
        """Expected information at values of all rows, (n,) or (n, particles)."""
        values = np.asarray(f, dtype=np.float64)
        wide = self.spreads.reshape(-1, *[1] * (values.ndim - 1))
        shifted = (self.inner.information(values + place * wide) for place in self.places)
        return sum((weight * each for weight, each in zip(self.weights, shifted, strict=True)), np.zeros(values.shape))
