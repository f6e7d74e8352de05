"""The cost of a row averaged over the residual: E c(y_n, f + s_n Z), Z standard normal, the summand of V* in (6.22).

Averages are Gauss-Hermite sums, whose slope and curvature are those of the sum. For the rate f^2, whose cost has a
pole, they are exact: with x = f / (sqrt(2) s) and Dawson's function D,

    E log|f + s Z| = log s + g(x),     g' = 2 D,     g(0) = -(Euler's constant + log 2) / 2.

The kernels of sampling pass a value and a target for each row. So the ``y`` of these likelihoods is a row's number from
1 on, negative where the target is not above 0: its sign is still that of a count.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.engine.terms.own_parts import PointwiseLikelihood
from particlegvi.functionspace.likelihoods.counts import PoissonSquare
from particlegvi.functionspace.likelihoods.likelihood import Likelihood
from particlegvi.tools.arguments import refuse
from particlegvi.tools.registry import look_up

DATA_COSTS = ("mean", "expected")
NODES = 32
ROOT_2 = math.sqrt(2.0)
AT_0 = -0.5 * (0.5772156649015329 + math.log(2.0))
FAR = 6.0  # from here on the asymptotic series are exact to rounding
NONE = 1e-9  # a smaller spread is none
TAMED = 0.23  # with this spread the slope of 2 y log|f| is at most that of a guard of 0.3


def check_data_cost(data_cost: str, residual: str) -> None:
    """Refuse an unknown ``data_cost``, and an expected one over the printed residual, which is no covariance."""
    look_up("data_cost", data_cost, dict.fromkeys(DATA_COSTS))
    if residual == "thesis" and data_cost != "mean":
        raise ValueError(f'data_cost must be "mean" with residual="thesis", not "{data_cost}"')


def expected(
    likelihood: Likelihood, variances: Array, y: Array, shifts: Array | float = 0.0
) -> tuple[Likelihood, Array]:
    """The likelihood of expected costs for rows with these variances and targets, and its targets, (n,) each.

    The ``shifts`` (n,), prior means, are added to the function, but for a quadratic cost, whose targets are without
    them: this cost changes by a constant only, and is returned as it is.
    """
    if likelihood.quadratic:
        return likelihood, y
    numbers = np.where(y > 0.0, 1.0, -1.0) * np.arange(1.0, len(y) + 1.0)
    spreads, observed = np.sqrt(variances), np.ascontiguousarray(y, dtype=np.float64)
    of_rows = np.zeros(len(y)) + shifts
    if likelihood.even and of_rows.any():
        raise ValueError(f"prior_mean must be None for {likelihood!r}, for which f and -f are alike")
    if isinstance(likelihood, PoissonSquare):
        return ExpectedSquare(spreads, observed), numbers
    if likelihood.even:
        raise refuse("the likelihood for an expected cost", likelihood, "one without a pole, or poisson-square")
    assert isinstance(likelihood, PointwiseLikelihood)
    places, weights = np.polynomial.hermite_e.hermegauss(NODES if spreads.any() else 1)
    return Expected(likelihood, of_rows, spreads, observed, places, weights / weights.sum()), numbers


class _Sums(NamedTuple):
    inner: PointwiseLikelihood
    shifts: Array
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
        n, total = int(math.fabs(y)) - 1, 0.0
        f += self.shifts[n]
        for q in range(self.places.shape[0]):
            total += self.weights[q] * self.inner.cost_at(f + self.spreads[n] * self.places[q], self.observed[n])
        return total

    def slope_at(self, f: float, y: float) -> float:
        n, total = int(math.fabs(y)) - 1, 0.0
        f += self.shifts[n]
        for q in range(self.places.shape[0]):
            total += self.weights[q] * self.inner.slope_at(f + self.spreads[n] * self.places[q], self.observed[n])
        return total

    def curvature_at(self, f: float, y: float) -> float:
        n, total = int(math.fabs(y)) - 1, 0.0
        f += self.shifts[n]
        for q in range(self.places.shape[0]):
            total += self.weights[q] * self.inner.curvature_at(f + self.spreads[n] * self.places[q], self.observed[n])
        return total

    def information(self, f: ArrayLike) -> Array:
        """Expected information at values of all rows, (n,) or (n, particles)."""
        values = np.asarray(f, dtype=np.float64)
        shape = (-1, *[1] * (values.ndim - 1))
        values, wide = values + self.shifts.reshape(shape), self.spreads.reshape(shape)
        shifted = (self.inner.information(values + place * wide) for place in self.places)
        return sum((weight * each for weight, each in zip(self.weights, shifted, strict=True)), np.zeros(values.shape))


class _Rows(NamedTuple):
    spreads: Array
    observed: Array


class ExpectedSquare(_Rows, Likelihood):
    """Expected costs of counts with rate f^2: where the spread is positive there is a barrier at f = 0, and no pole."""

    __slots__ = ()

    even = True

    def cost_at(self, f: float, y: float) -> float:
        n = int(math.fabs(y)) - 1
        s = self.spreads[n]
        if s < NONE:
            return f * f - 2.0 * self.observed[n] * math.log(max(math.fabs(f), 1e-150))
        return f * f + s * s - 2.0 * self.observed[n] * (math.log(s) + mean_log(math.fabs(f) / (ROOT_2 * s)))

    def slope_at(self, f: float, y: float) -> float:
        n = int(math.fabs(y)) - 1
        s = max(self.spreads[n], NONE)
        return 2.0 * f - math.copysign(2.0 * ROOT_2 * self.observed[n] / s * dawson(math.fabs(f) / (ROOT_2 * s)), f)

    def curvature_at(self, f: float, y: float) -> float:
        n = int(math.fabs(y)) - 1
        s = max(self.spreads[n], NONE)
        return 2.0 - 2.0 * self.observed[n] / (s * s) * dawson_slope(math.fabs(f) / (ROOT_2 * s))

    def tamed(self) -> Self:
        """With spreads of at least 0.23."""
        return self._replace(spreads=np.maximum(self.spreads, TAMED))

    def information(self, f: ArrayLike) -> Array:
        """Fisher information about f: 4 for every f, as without the average."""
        return np.full(np.shape(f), 4.0)


def mean_log(x: float) -> float:
    """g(x) = E log|sqrt(2) x + Z| for x >= 0, by the mixture of Poisson weights or, far out, the asymptotic series."""
    q = x * x
    total = 0.0
    if x < FAR:
        weight, sum_of_inverses = math.exp(-q), 0.0
        for j in range(120):
            total += weight * sum_of_inverses
            weight *= q / (j + 1.0)
            sum_of_inverses += 1.0 / (j + 0.5)
        return AT_0 + 0.5 * total
    term = 1.0
    for k in range(1, 21):
        term *= (2.0 * k - 1.0) / (2.0 * q)
        total += term / (2.0 * k)
    return math.log(ROOT_2 * x) - total


def dawson(x: float) -> float:
    """Dawson's function exp(-x^2) integral_0^x exp(t^2) dt for x >= 0."""
    q = x * x
    if x < FAR:
        term, total = x * math.exp(-q), 0.0
        for k in range(120):
            total += term / (2.0 * k + 1.0)
            term *= q / (k + 1.0)
        return total
    return 0.5 * (1.0 + _tail(q)) / x


def dawson_slope(x: float) -> float:
    """1 - 2 x D(x), without cancellation far out."""
    return 1.0 - 2.0 * x * dawson(x) if x < FAR else -_tail(x * x)


def _tail(q: float) -> float:
    """2 x D(x) - 1 for large q = x^2: the sum of (2 k - 1)!! / (2 q)^k."""
    term, total = 1.0, 0.0
    for k in range(1, 21):
        term *= (2.0 * k - 1.0) / (2.0 * q)
        total += term
    return total
