"""Predictions and samples of functions from a posterior of coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Basis
from particlegvi.engine.numerics import noise
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import residuals
from particlegvi.functionspace.likelihoods.labels import Labels
from particlegvi.functionspace.likelihoods.likelihood import Likelihood
from particlegvi.functionspace.prediction.marginals import Marginals
from particlegvi.tools import arguments
from particlegvi.tools.arguments import points
from particlegvi.tools.html import Card
from particlegvi.tools.registry import look_up


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

    def predict(
        self, X: ArrayLike, return_std: bool = False, quantiles: Any = None, of: str = "function"
    ) -> Any:
        """Mean of the posterior at each input.

        Parameters
        ----------
        X : array (n, inputs)
        return_std : bool
            Whether to return the standard deviation, (n,), as well.
        quantiles : sequence of probabilities, optional
            Levels of quantiles of the function to return as well, (len(quantiles), n).
        of : str
            "function": moments of F(x); "target": moments of a new y at x, with the likelihood's noise.

        Returns
        -------
        mean, or a tuple (mean, sd), (mean, quantiles), (mean, sd, quantiles)
        """
        look_up("thing to predict", of, {"function": None, "target": None})
        marginals = self.marginals(X)
        if of == "function":
            mean, sd = marginals.mean(), marginals.sd()
        else:
            if quantiles is not None:
                raise ValueError('quantiles are those of the function; leave them out with of="target"')
            mean = marginals.expectation(self.likelihood.mean)
            second = marginals.expectation(
                lambda f: self.likelihood.variance(f) + (self.likelihood.mean(f) - mean) ** 2
            )
            sd = np.sqrt(second)
        found = [mean]
        if return_std:
            found.append(sd)
        if quantiles is not None:
            found.append(np.array([marginals.quantile(_share(each)) for each in np.atleast_1d(quantiles)]))
        return found[0] if len(found) == 1 else tuple(found)

    def predict_probability(self, X: ArrayLike) -> Array:
        """P(y = 1) at each input, (n,), for a likelihood of labels."""
        if not isinstance(self.likelihood, Labels):
            raise ValueError(f"{self.likelihood!r} has no labels, and so no probability of one")
        return self.marginals(X).expectation(self.likelihood.probability)

    def log_predictive_density(self, X: ArrayLike, y: ArrayLike) -> Array:
        """log p(y_n | data) at each input, (n,): the logarithm of the mean density over the posterior."""
        marginals = self.marginals(X)
        targets = self.likelihood.check_targets(y, len(marginals.variances))
        return marginals.log_predictive_density(self.likelihood, targets)


def _share(probability: Any) -> float:
    number = arguments.real("quantiles", probability, "a list of probabilities between 0 and 1")
    if not 0.0 < number < 1.0:
        raise ValueError(f"quantiles must be probabilities between 0 and 1, not {number:g}")
    return number
