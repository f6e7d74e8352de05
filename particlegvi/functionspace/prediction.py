"""What particles say at new inputs: F(x) = sum_m u_m e_m(x) + G(x), with the residual G integrated out.

At one input F(x) is a mixture of Gaussians, one for each particle, all with the variance of G(x). So moments and
quantiles need no sampling, and what is nonlinear in F is integrated by Gauss-Hermite quadrature.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import logsumexp, ndtr

from particlegvi.functionspace.checks import Array

NODES = 32
BISECTIONS = 60


class Marginals:
    """The law of F(x_n) at each of some inputs: the mean of Gaussians N(centres[j, n], variances[n]) over j.

    Attributes
    ----------
    centres : array (particles, n)
    variances : array (n,)
    """

    def __init__(self, centres: Array, variances: Array) -> None:
        self.centres = centres
        self.variances = variances

    def mean(self) -> Array:
        """E F(x), shape (n,)."""
        return self.centres.mean(axis=0)

    def sd(self) -> Array:
        """Standard deviation of F(x), shape (n,)."""
        return np.sqrt(self.centres.var(axis=0) + self.variances)

    def cdf(self, values: Array) -> Array:
        """P(F(x_n) <= values[n]), shape (n,)."""
        spread = np.sqrt(self.variances)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = (values - self.centres) / spread
        return np.where(spread > 0.0, ndtr(z), values >= self.centres).mean(axis=0)

    def quantile(self, probability: float) -> Array:
        """The quantile of F(x), shape (n,), by bisection."""
        reach = 10.0 * np.sqrt(self.variances)
        low, high = self.centres.min(axis=0) - reach, self.centres.max(axis=0) + reach
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            below = self.cdf(middle) < probability
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return high

    def expectation(self, function: Callable[[Array], Array]) -> Array:
        """E function(F(x)), shape (n,)."""
        nodes, weights = _hermite()
        total = np.zeros(len(self.variances))
        for node, weight in zip(nodes, weights, strict=True):
            total += weight * function(self.centres + node * np.sqrt(self.variances)).mean(axis=0)
        return total

    def log_density(self, likelihood: Any, y: Array) -> Array:
        """log of the mean of p(y_n | F(x_n)), shape (n,): the log predictive density of each target by itself."""
        nodes, weights = _hermite()
        parts = []
        for node, weight in zip(nodes, weights, strict=True):
            logs = likelihood.log_density(y, self.centres + node * np.sqrt(self.variances))
            parts.append(np.log(weight) + logsumexp(logs, axis=0))
        return logsumexp(np.array(parts), axis=0) - np.log(len(self.centres))


def _hermite() -> tuple[Array, Array]:
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return nodes, weights / weights.sum()
