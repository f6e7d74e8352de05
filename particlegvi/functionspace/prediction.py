"""Predictions of particles at new inputs: F(x) = sum_m u_m e_m(x) + G(x), with the residual G integrated out.

At one input F(x) is a mixture of Gaussians, one for each particle, all with the variance of G(x). So moments and
quantiles need no sampling. The trapezoidal rule integrates nonlinear functions of F; its error for smooth functions
under a Gaussian vanishes faster than any power of the spacing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import logsumexp, ndtr

from particlegvi.contracts import Array
from particlegvi.functionspace.likelihoods.likelihood import Likelihood

REACH = 8.5  # standard deviations
FEWEST, MOST = 35, 1001  # nodes
SPACING = 0.8  # of the nodes, in widths of the likelihood
BISECTIONS = 60


class Marginals:
    """The distribution of F(x_n) at each of some inputs: the mean of Gaussians N(centres[j, n], variances[n]) over j.

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

    def expectation(self, function: Callable[[Array], Array], curvature: float = 1.0) -> Array:
        """E function(F(x)), shape (n,); ``curvature`` is the largest of the logarithm of the function."""
        total = np.zeros(len(self.variances))
        for node, weight in self._nodes(curvature):
            total += weight * function(self.centres + node * np.sqrt(self.variances)).mean(axis=0)
        return total

    def log_density(self, likelihood: Likelihood, y: Array) -> Array:
        """log of the mean of p(y_n | F(x_n)), shape (n,): the log predictive density of each target by itself."""
        if likelihood.quadratic:
            variances = self.variances + 1.0 / likelihood.curvature_bound
            logs = -0.5 * (y - self.centres) ** 2 / variances - 0.5 * np.log(2.0 * np.pi * variances)
            return logsumexp(logs, axis=0) - np.log(len(self.centres))
        bound = likelihood.curvature_bound
        curvature = bound if np.isfinite(bound) else float(likelihood.information(self.centres).max())
        total = np.full(len(self.variances), -np.inf)
        for node, weight in self._nodes(curvature):
            logs = likelihood.log_density(y, self.centres + node * np.sqrt(self.variances))
            total = np.logaddexp(total, np.log(weight) + logsumexp(logs, axis=0))
        return total - np.log(len(self.centres))

    def _nodes(self, curvature: float) -> list[tuple[float, float]]:
        """Nodes and weights of a standard normal, close enough for a factor of this curvature."""
        width = np.sqrt(curvature * self.variances.max(initial=0.0))
        number = int(np.clip(2.0 * REACH * width / SPACING, FEWEST, MOST))
        nodes = np.linspace(-REACH, REACH, number)
        weights = np.exp(-0.5 * nodes**2)
        return list(zip(nodes.tolist(), (weights / weights.sum()).tolist(), strict=True))
