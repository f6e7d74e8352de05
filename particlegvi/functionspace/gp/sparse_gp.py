"""Sparse variational Gaussian processes: a Gaussian distribution of the coefficients of a Nystroem basis.

Without the residual of the basis the process is that of M regressors.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Basis, Facts, Likelihood
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import covariances
from particlegvi.functionspace.basis.nystroem import with_inducing_points
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.functionals import Functionals
from particlegvi.functionspace.gp.certificate import Certificate, Fitted, certify
from particlegvi.functionspace.gp.coefficient_law import Bound, Law, climb, collapsed
from particlegvi.functionspace.gp.exact_gp import ExactGaussianProcess
from particlegvi.functionspace.gp.placement import placed_basis
from particlegvi.functionspace.likelihoods.likelihood import observations
from particlegvi.functionspace.likelihoods.regression import Gaussian
from particlegvi.functionspace.residuals import Residual
from particlegvi.tools.arguments import copied, points, refuse, scale, vector, whole
from particlegvi.tools.calls import shares_parameters
from particlegvi.tools.html import Card


class SparseGaussianProcess(Card):
    """The best approximation of a Gaussian process posterior by M inducing values, for any likelihood.

    f = sum_m u_m e_m + G in the Nystroem basis of the inducing points with ``prior="gp"``, so that f is the process
    with covariance k, and u is the whitened vector of inducing values. The distribution q of u is the Gaussian with
    the highest evidence lower bound ``sum_n E log p(y_n | f(x_n)) - KL(q, N(0, I))``.

    With a Gaussian likelihood q solves a linear system (Titsias 2009). Otherwise the expectations are Gauss-Hermite
    sums and natural gradients climb the bound. A log-concave likelihood has one maximum; for others the result depends
    on ``start``.

    Parameters
    ----------
    kernel : Covariance or a kernel of particlegvi.kernels
        k.
    likelihood : Likelihood
        From :mod:`particlegvi.functionspace.likelihoods`. Its ``log_density(y, f)``, ``slope(f, y)`` (minus the
        derivative of the log density in f) and ``check_targets(y, n)`` are used, and ``noise_variance`` of a Gaussian.
    inducing_points : array (M, dim), int, Functionals or Basis
        Z, the number of points for `placement`, any functionals (`functionspace.functionals`), or a basis.
    tolerance : float
        The climb ends when the bound can gain about half of this, in nats.
    seed : int
        Seed of the selection.
    placement : str
        A rule of `particlegvi.functionspace.selection`: "greedy", "random"; for a Gaussian likelihood also
        "elbo" and "fisher", which search from greedy points, or from ``inducing_points`` if it is an array.

    Attributes
    ----------
    basis : Basis
        The Nystroem basis of the inducing points, or the projection onto functionals.
    law : Law
        Distribution of the coefficients: ``mean`` (size,), ``precision`` (size, size) and its Cholesky factor.
    bound : float
        The evidence lower bound, in nats; never above the log marginal likelihood.
    inducing_points_ : array (M, dim)
        The Z of the fit.
    facts : dict
        ``method``, ``iterations``, ``converged``, and the facts of the basis and of the selection. After a search for
        inducing points, ``placement`` has ``start``, ``steps``, the objective ``before`` and ``after``, ``converged``.

    Sources: Titsias (2009), (9), (10); Hensman, Matthews and Ghahramani (2015), (18).
    """

    def __init__(
        self,
        kernel: KernelLike,
        likelihood: Likelihood,
        inducing_points: ArrayLike | int | Functionals | Basis,
        tolerance: float = 1e-8,
        *,
        seed: int = 0,
        placement: str = "greedy",
    ) -> None:
        self.covariance = covariances.of(kernel)
        self.likelihood = likelihood
        self.inducing_points = copied(inducing_points)
        self.tolerance = scale("tolerance", tolerance)
        self.seed = whole("seed", seed, least=0)
        self.placement = placement
        self._data: tuple[Array, Array] | None = None

    @one_blas_thread()
    def fit(self, X: ArrayLike, y: ArrayLike, start: ArrayLike | None = None) -> Self:
        """Fit inputs (n, dim) and targets (n,).

        Parameters
        ----------
        start : array (n,), optional
            Values of f at X near which the climb starts, in case the bound has several maxima; zeros if not given. The
            bound must be finite there.
        """
        x = points("X", X)
        t = observations(self.likelihood, y, len(x))
        begin = None if start is None else vector("start", start, len(x))
        choice = self.inducing_points, self.placement
        self.basis, chosen = placed_basis(self.covariance, *choice, (x, t), self.likelihood, self.seed)
        self._residual = Residual(self.basis)
        facts: Facts = {"method": "closed form", "iterations": 0, "converged": True}
        e = self.basis.features(x)
        left = self._residual.variance(x, e)
        if isinstance(self.likelihood, Gaussian):
            self.law, self.bound = collapsed(e, left, t, self.likelihood.noise_variance)
        else:
            mean = np.zeros(self.basis.size) if begin is None else collapsed(e, left, begin, 1.0)[0].mean
            self.law, self.bound, facts = climb(Bound(self.likelihood, e, left, t), mean, self.tolerance)
        self.facts = {**facts, **self.basis.facts(), **chosen}
        self._data = x.copy(), t.copy()  # for the certificate: the caller may change its arrays
        return self

    @property
    def inducing_points_(self) -> Array:
        """Z, (M, dim); an AttributeError before a fit."""
        return with_inducing_points(self.basis, "inducing_points_").inducing_points

    def restored(self, basis: Basis, law: Law) -> Self:
        """Set the basis and the distribution of the coefficients from an earlier fit, and return the model."""
        self.basis, self.law = basis, law
        self._residual = Residual(basis)
        return self

    def certify(self) -> Certificate:
        """Bound the distance of this process from the exact one of the same covariance and noise variance.

        The likelihood must be Gaussian. It takes O(n^2 (dim + M)) time and O(n M) memory: k(X, X) is made in blocks.

        Returns
        -------
        Certificate
            ``kl``, the upper bound on KL to the exact process; ``evidence``, the interval of log p(y);
            ``mean_error(X)``, ``sd_range(X)`` and ``facts``.
        """
        if not isinstance(self.likelihood, Gaussian):
            raise refuse("the likelihood for certify", self.likelihood, "Gaussian")
        if self._data is None:
            raise ValueError("certify needs the data of a fit: call fit(X, y) before")
        basis = with_inducing_points(self.basis, "certify")
        return certify(Fitted(basis, self.law, *self._data, self.likelihood.noise_variance))

    @one_blas_thread()
    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """The mean of f, shape (n,), and with ``return_std`` its standard deviation, without the noise."""
        e = self.basis.features(X)
        mean = e @ self.law.mean
        if not return_std:
            return mean
        return mean, np.sqrt(self.law.variances(e) + self._residual.variance(X, e))

    @one_blas_thread()
    def sample(self, X: ArrayLike, normals: Array) -> Array:
        """Draws of f(X), shape (draws, n), from standard normals (draws, size + n)."""
        of_coefficients, of_residual = normals[:, : self.basis.size], normals[:, self.basis.size :]
        functions = self.law.draws(of_coefficients) @ self.basis.features(X).T
        return functions + self._residual.sample(X, of_residual)


@shares_parameters(ExactGaussianProcess)
class SubsetOfRegressors(SparseGaussianProcess):
    """f = sum_m u_m e_m, with the same distribution of u as `SparseGaussianProcess`, and no residual.

    With the same inducing points the mean is that of the sparse process. The standard deviation is smaller, and goes to
    0 away from the inducing points. The process has rank M, so that KL to the exact one is infinite. Its ``bound`` is
    that of the sparse process.

    Parameters
    ----------
    inducing_points : array (M, dim) or int
        Z, or the number of points for ``placement``, a rule of `particlegvi.functionspace.selection`.

    Source: Rasmussen and Williams (2006), 8.3.1; Quinonero-Candela and Rasmussen (2005), (16).
    """

    def __init__(
        self,
        kernel: KernelLike,
        noise_variance: float,
        inducing_points: ArrayLike | int = 200,
        placement: str = "greedy",
        seed: int = 0,
    ) -> None:
        super().__init__(kernel, Gaussian(noise_variance), inducing_points, placement=placement, seed=seed)

    def certify(self) -> Certificate:
        raise ValueError("certify needs a process with a residual: KL of this one to the exact process is infinite")

    @one_blas_thread()
    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        e = self.basis.features(X)
        mean = e @ self.law.mean
        return (mean, np.sqrt(self.law.variances(e))) if return_std else mean

    @one_blas_thread()
    def sample(self, X: ArrayLike, normals: Array) -> Array:
        """Draws of f(X), shape (draws, n), from standard normals (draws, size) or more."""
        return self.law.draws(normals[:, : self.basis.size]) @ self.basis.features(X).T
