"""Predictions of particles at new inputs: F(x) = sum_m u_m e_m(x) + G(x), with the residual G integrated out.

At one input F(x) is a mixture of Gaussians, one for each particle, all with the variance of G(x). So moments and
quantiles need no sampling. The trapezoidal rule integrates nonlinear functions of F. Its error for smooth functions
under a Gaussian falls faster than any power of the spacing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import logsumexp

from particlegvi.contracts import Array
from particlegvi.functionspace.likelihoods.likelihood import Likelihood
from particlegvi.metrics.mixtures import Mixture

REACH = 8.5  # standard deviations
FEWEST, MOST = 35, 1001  # limits of the number of nodes
SPACING = 0.8  # largest spacing of the nodes, in widths of the likelihood


class Marginals(Mixture):
    """The distribution of F(x_n) at each input: the equal-weight mixture of N(centres[j, n], variances[n]) over j.

    Parameters
    ----------
    centres : array (particles, n)
    variances : array (n,)
        Variances of the residual, 0 or more.
    """

    def __init__(self, centres: Array, variances: Array) -> None:
        super().__init__(centres, np.sqrt(variances))
        self.variances = variances

    def sd(self) -> Array:
        """Standard deviation of F(x), shape (n,)."""
        return np.sqrt(self.centres.var(axis=0) + self.variances)

    def expectation(self, function: Callable[[Array], Array], curvature: float = 1.0) -> Array:
        """E function(F(x)), shape (n,); ``curvature`` is the largest curvature of the logarithm of the function."""
        total = np.zeros(len(self.variances))
        for node, weight in self._nodes(curvature):
            total += weight * function(self.centres + node * np.sqrt(self.variances)).mean(axis=0)
        return total

    def log_predictive_density(self, likelihood: Likelihood, y: Array) -> Array:
        """The logarithm of the mean of p(y_n | F(x_n)), shape (n,), for each target separately."""
        if likelihood.quadratic:
            return Mixture(self.centres, np.sqrt(self.variances + 1.0 / likelihood.curvature_bound)).log_density(y)
        bound = likelihood.curvature_bound
        curvature = bound if np.isfinite(bound) else float(likelihood.information(self.centres).max())
        total = np.full(len(self.variances), -np.inf)
        for node, weight in self._nodes(curvature):
            logs = likelihood.log_density(y, self.centres + node * np.sqrt(self.variances))
            total = np.logaddexp(total, np.log(weight) + logsumexp(logs, axis=0))
        return total - np.log(len(self.centres))

    def _nodes(self, curvature: float) -> list[tuple[float, float]]:
        """Nodes and weights of a standard normal, dense enough for a factor of this curvature."""
        width = np.sqrt(curvature * self.variances.max(initial=0.0))
        number = int(np.clip(2.0 * REACH * width / SPACING, FEWEST, MOST))
        nodes = np.linspace(-REACH, REACH, number)
        weights = np.exp(-0.5 * nodes**2)
        return list(zip(nodes.tolist(), (weights / weights.sum()).tolist(), strict=True))
