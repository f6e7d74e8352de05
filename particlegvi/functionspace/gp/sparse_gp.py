"""Sparse variational Gaussian processes: a Gaussian distribution of the coefficients of a Nystroem basis."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Basis, Facts, Likelihood, Storage
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import covariances, preprocessing
from particlegvi.functionspace.basis.finding import find
from particlegvi.functionspace.basis.mercer import Mercer
from particlegvi.functionspace.basis.nystroem import with_inducing_points
from particlegvi.functionspace.basis.projection import Projection
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.functionals import Fourier, Functionals
from particlegvi.functionspace.gp.certificate import Certificate, Fitted, certify
from particlegvi.functionspace.gp.coefficient_law import Bound, Law, climb, collapsed, from_products, stochastic_climb
from particlegvi.functionspace.gp.fourier_evidence import FourierSums, whitened
from particlegvi.functionspace.gp.placement import GAP, placement_of
from particlegvi.functionspace.likelihoods.likelihood import observations
from particlegvi.functionspace.likelihoods.regression import Gaussian
from particlegvi.functionspace.prior_mean import PriorMean, added, at, checked
from particlegvi.functionspace.residuals import Residual
from particlegvi.simulation.journal import Journal
from particlegvi.tools.arguments import points, positive, refuse, scale, vector, whole
from particlegvi.tools.html import Card

POWER = 0.6  # steps of batches fall as t^-0.6 where averages are not exact: a sum without bound, finite squares
MANY_ROWS = 20_000  # from so many rows on, Fourier functionals use sums over rows instead of products of features


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
    inducing_points : array (M, dim), int, "auto", Functionals or Mercer
        Z, the number of points for `placement`, any functionals (`functionspace.functionals`), or a basis. With
        "auto", for a Gaussian likelihood, the number doubles until `certify` guarantees ``certified_gap``;
        ``facts["stopped"]`` says why it ended.
    nodes : int
        Number of nodes of the Gauss-Hermite sums. An even number has no node at the mean.
    most_iterations : int
        Largest number of natural gradient steps.
    tolerance : float
        The climb ends when the bound can gain about half of this, in nats.
    seed : int
        Seed of the selection.
    placement : str
        A rule of `particlegvi.functionspace.selection`: "greedy", "random", "k-means"; for a Gaussian likelihood also
        "elbo" and "fisher", which search from greedy points, or from ``inducing_points`` if it is an array.
    certified_gap : float
        For "auto", the largest accepted bound on KL to the exact process, in nats.
    most_inducing_points : int, optional
        For "auto", the largest number of inducing points; as many as rows if not given.
    prior_mean : float or function, optional
        The prior mean of f: a number, or a function of inputs (n, dim); 0 if not given.
    batch_size : int, optional
        Number of rows of a batch. Natural gradient steps then use one batch each, and features of all rows are never in
        memory: ``most_iterations`` steps, in whole passes over the rows. All rows if not given.

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
        inducing_points: ArrayLike | int | str | Functionals | Mercer,
        nodes: int = 20,
        most_iterations: int = 200,
        tolerance: float = 1e-8,
        *,
        seed: int = 0,
        placement: str = "greedy",
        certified_gap: float = GAP,
        most_inducing_points: int | None = None,
        prior_mean: PriorMean = None,
        batch_size: int | None = None,
    ) -> None:
        self.covariance = covariances.of(kernel)
        self.likelihood = likelihood
        self.inducing_points = inducing_points
        self.nodes = whole("nodes", nodes, least=2)
        self.most_iterations = whole("most_iterations", most_iterations, 1)
        self.tolerance = scale("tolerance", tolerance)
        self.seed, self.prior_mean = whole("seed", seed, least=0), checked(prior_mean)
        self.placement = placement
        self.batch_size = None if batch_size is None else whole("batch_size", batch_size, 1)
        self.certified_gap = positive("certified_gap", certified_gap)
        most = most_inducing_points
        self.most_inducing_points = None if most is None else whole("most_inducing_points", most, 1)
        self._placement = placement_of(
            inducing_points, placement, self.certified_gap, self.most_inducing_points, self._noise_variance
        )
        self._data: tuple[Array, Array] | None = None

    @one_blas_thread()
    def fit(self, X: ArrayLike, y: ArrayLike, start: ArrayLike | None = None, storage: Storage | None = None) -> Self:
        """Fit inputs (n, dim) and targets (n,).

        Parameters
        ----------
        start : array (n,), optional
            Values of f at X near which the climb starts, in case the bound has several maxima; zeros if not given. The
            bound must be finite there.
        storage : Storage, optional
            Stores snapshots (`particlegvi.simulation.storage`). If it has a snapshot of the same fit, that fit
            continues, with the same bytes as without an interruption.
        """
        x = points("X", X)
        t = observations(self.likelihood, y, len(x))
        begin = None if start is None else vector("start", start, len(x))
        with Journal(storage) as journal:
            self._climb(x, t, begin, journal)
        return self

    def _climb(self, x: Array, t: Array, begin: Array | None, journal: Journal) -> None:
        k, shifts = self.covariance, np.zeros(len(x)) + at(self.prior_mean, x)
        t = t - shifts if isinstance(self.likelihood, Gaussian) else t
        self.basis, chosen = find(journal, k, lambda: self._placement.basis(k, x, t, self.seed))
        self._residual = Residual(self.basis)
        facts: Facts = {"method": "closed form", "iterations": 0, "converged": True}
        if self.batch_size is not None and self.batch_size < len(x):
            if begin is not None:
                raise refuse("start", "given", "None with a batch_size")
            self.law, self.bound, facts = self._by_batches(x, t, shifts, self.batch_size)
        elif isinstance(self.likelihood, Gaussian):
            self.law, self.bound = self._closed_form(x, t, self.likelihood.noise_variance)
        else:
            e = self.basis.features(x)
            left = self._residual.variance(x, e)
            mean = np.zeros(self.basis.size) if begin is None else collapsed(e, left, begin - shifts, 1.0)[0].mean
            bound = Bound(self.likelihood, e, left, t, self.nodes)
            bound.shifts = shifts
            self.law, self.bound, facts = climb(bound, mean, self.most_iterations, self.tolerance, journal)
        self.facts = {**facts, **self.basis.facts(), **chosen}
        self._data = x.copy(), t.copy()  # for the certificate: the caller may change its arrays

    def _by_batches(self, x: Array, t: Array, shifts: Array, batch_size: int) -> tuple[Law, float, Facts]:
        gaussian, number = isinstance(self.likelihood, Gaussian), -(-len(x) // batch_size)
        parts = np.array_split(preprocessing.order(self.seed, "minibatches", len(x)), number)

        def batch(of: int) -> Bound:
            rows = parts[of]
            e = self.basis.features(x[rows])
            bound = Bound(self.likelihood, e, self._residual.variance(x[rows], e), t[rows], self.nodes)
            bound.shifts = 0.0 if gaussian else shifts[rows]
            return bound

        steps = number * max(1, self.most_iterations // number)
        return stochastic_climb(batch, number, steps, self.basis.size, 1.0 if gaussian else POWER)

    def _closed_form(self, x: Array, t: Array, noise_variance: float) -> tuple[Law, float]:
        """The optimal distribution and its bound; many rows with Fourier functionals use sums over the rows."""
        given = self.inducing_points
        if isinstance(given, Fourier) and isinstance(self.basis, Projection) and len(x) >= MANY_ROWS:
            sums = FourierSums(given, x, t)
            return from_products(*whitened(sums, self.covariance, self.basis.weights), noise_variance)
        e = self.basis.features(x)
        return collapsed(e, self._residual.variance(x, e), t, noise_variance)

    @property
    def inducing_points_(self) -> Array:
        """Z, (M, dim); an AttributeError before a fit."""
        return with_inducing_points(self.basis, "inducing_points_").inducing_points

    def restored(self, basis: Basis, law: Law) -> Self:
        """Set the basis and the distribution of the coefficients from an earlier fit, and return the model."""
        self.basis, self.law = basis, law
        self._residual = Residual(basis)
        return self

    def certify(self, steps: int = 1, tight: bool = True) -> Certificate:
        """Bound the distance of this process from the exact one of the same covariance and noise variance.

        The likelihood must be Gaussian. It takes O(n^2 (dim + M)) time and O(n M) memory: k(X, X) is made in blocks.

        Parameters
        ----------
        steps : int
            Number of conjugate gradient steps. One is nearly always enough. With 0 the bound is that of Titsias (2014),
            which takes O(n M^2) time and is often a hundred times as large.
        tight : bool
            Whether to bound the determinant, too; without it the time is O(n^2 dim).

        Returns
        -------
        Certificate
            ``kl``, the upper bound on KL to the exact process; ``evidence``, the interval of log p(y);
            ``mean_error(X)``, ``sd_range(X)`` and ``facts``.
        """
        noise = self._noise_variance("certify")
        if self._data is None:
            raise ValueError("certify needs the data of a fit: call fit(X, y) before")
        basis = with_inducing_points(self.basis, "certify")
        return certify(Fitted(basis, self.law, *self._data, noise), steps, tight)

    def _noise_variance(self, user: str) -> float:
        if not isinstance(self.likelihood, Gaussian):
            raise refuse(f"the likelihood for {user}", self.likelihood, "Gaussian")
        return self.likelihood.noise_variance

    @one_blas_thread()
    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """The mean of f, shape (n,), and with ``return_std`` its standard deviation, without the noise."""
        e = self.basis.features(X)
        mean = added(self.prior_mean, X, e @ self.law.mean)
        if not return_std:
            return mean
        return mean, np.sqrt(self.law.variances(e) + self._residual.variance(X, e))

    @one_blas_thread()
    def sample(self, X: ArrayLike, normals: Array) -> Array:
        """Draws of f(X), shape (draws, n), from standard normals (draws, size + n)."""
        of_coefficients, of_residual = normals[:, : self.basis.size], normals[:, self.basis.size :]
        functions = self.law.draws(of_coefficients) @ self.basis.features(X).T
        return added(self.prior_mean, X, functions + self._residual.sample(X, of_residual))
