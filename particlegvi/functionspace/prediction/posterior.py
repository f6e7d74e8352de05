"""Predictions and samples of functions from a posterior of coefficients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from particlegvi.contracts import Array, Basis
from particlegvi.engine.numerics import noise
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import residuals
from particlegvi.functionspace.likelihoods.labels import Labels
from particlegvi.functionspace.likelihoods.likelihood import Likelihood
from particlegvi.metrics.mixtures import Mixture
from particlegvi.tools.arguments import points, refuse
from particlegvi.tools.html import Card
from particlegvi.tools.registry import one_of

REACH = 8.5  # standard deviations
FEWEST, MOST = 35, 1001  # limits of the number of nodes
SPACING = 0.8  # largest spacing of the nodes, in widths of the likelihood


class Marginals(Mixture):
    """The distribution of F(x_n) at each input: the equal-weight mixture of N(centres[j, n], variances[n]) over j.

    The variances are those of the residual, 0 or more.
    """

    def __init__(self, centres: Array, variances: Array) -> None:
        super().__init__(centres, np.sqrt(variances))
        self.variances = variances

    def sd(self) -> Array:
        """Standard deviation of F(x), shape (n,)."""
        return np.sqrt(self.centres.var(axis=0) + self.variances)

    def expectation(self, function: Callable[[Array], Array]) -> Array:
        """E function(F(x)), shape (n,), for a function whose logarithm has a curvature of at most 1."""
        total = np.zeros(len(self.variances))
        for node, weight in self._nodes(1.0):
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


class FunctionPosterior(Card):
    """Samples and predictions from particles in a basis.

    Attributes
    ----------
    coefficients_ : array (particles, size)
    basis_, residual_
        The basis, from :mod:`particlegvi.functionspace.basis`, and the residual, from ``residuals``.
    likelihood, seed
    """

    coefficients_: Array
    basis_: Basis
    residual_: residuals.Residual | residuals.ThesisResidual
    likelihood: Likelihood
    seed: int

    def basis(self, X: ArrayLike) -> Array:
        """e_m(x_n), shape (n, size)."""
        with one_blas_thread():
            return self.basis_.features(X)

    def marginals(self, X: ArrayLike) -> Marginals:
        """The distribution of the function at each input: a mixture of one Gaussian for each particle."""
        with one_blas_thread():
            features = self.basis_.features(X)
            return Marginals(self.coefficients_ @ features.T, self.residual_.variance(X, features))

    def sample(self, X: ArrayLike) -> Array:
        """Joint posterior samples of the function at these inputs, by Matheron's rule, (particles, n).

        Equal inputs give equal samples. The residual costs n^3 / 3.
        """
        x = points("X", X, self.basis_.inputs)
        with one_blas_thread():
            normals = noise.normals(self.seed, "draws", len(self.coefficients_), len(x))
            return self.coefficients_ @ self.basis_.features(x).T + self.residual_.sample(x, normals)

    def predict(self, X: ArrayLike, return_std: bool = False, of: str = "function") -> Any:
        """Mean of the posterior at each input.

        Parameters
        ----------
        X : array (n, inputs)
        return_std : bool
            Whether to return the standard deviation, (n,), as well.
        of : str
            "function": moments of F(x); "target": moments of a new y at x, with the likelihood's noise.

        Returns
        -------
        mean, or a tuple (mean, sd)
            Quantiles of the function are those of `marginals`.
        """
        one_of("thing to predict", of, ("function", "target"))
        marginals = self.marginals(X)
        if of == "function":
            mean, sd = marginals.mean(), marginals.sd()
        else:
            mean = marginals.expectation(self.likelihood.mean)
            second = marginals.expectation(
                lambda f: self.likelihood.variance(f) + (self.likelihood.mean(f) - mean) ** 2
            )
            sd = np.sqrt(second)
        return (mean, sd) if return_std else mean

    def predict_probability(self, X: ArrayLike) -> Array:
        """P(y = 1) at each input, (n,), for a likelihood of labels."""
        if not isinstance(self.likelihood, Labels):
            raise refuse("the likelihood for predict_probability", self.likelihood, "Bernoulli or other labels")
        return self.marginals(X).expectation(self.likelihood.probability)

    def log_predictive_density(self, X: ArrayLike, y: ArrayLike) -> Array:
        """log p(y_n | data) at each input, (n,): the logarithm of the mean density over the posterior."""
        marginals = self.marginals(X)
        targets = self.likelihood.check_targets(y, len(marginals.variances))
        return marginals.log_predictive_density(self.likelihood, targets)
