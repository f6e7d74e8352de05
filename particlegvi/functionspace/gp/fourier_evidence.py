"""The evidence bound under Fourier features from sums over the n rows, and a search for hyperparameters with it.

A product of cosines and sines is a sum of cosines and sines: 2 cos(a) cos(b) = cos(a - b) + cos(a + b). So the sums
C_m = sum_n cos w_m (x_n - low) and S_m = sum_n sin w_m (x_n - low), m = 0, ..., 2 M, give all products of features
inside [low, high]; sums weighted by y, m = 0, ..., M, give the products of features with y. These sums do not depend on
parameters of the covariance. Features outside [low, high], and the features of ``ends``, are combinations of the p + 1
functions c(x - edge) of `MaternState`; their products with cosines and sines are sums weighted by these functions.

The sums take O(n M) instead of O(n M^2). After that a bound costs O(M^3) for any number of rows, if all rows are inside
the interval and there are no ``ends``: a search can use millions of rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.engine.pairs.fourier_tiles import moments
from particlegvi.functionspace import covariances
from particlegvi.functionspace.covariances.covariance import Covariance, KernelLike
from particlegvi.functionspace.covariances.stationary import Stationary
from particlegvi.functionspace.functionals import Fourier
from particlegvi.functionspace.functionals.fourier import MaternState
from particlegvi.functionspace.gp.coefficient_law import Products, from_products
from particlegvi.functionspace.gp.maximising import by_name, maximise, noise_limits
from particlegvi.tools.arguments import points, scale, vector

STEP = 1e-4  # of central differences in the logarithms of the parameters: three digits more than the search needs
EXACT = 1e-12  # relative change of the bound that ends the search


class FourierSums:
    """The sums over rows (inputs (n, 1), targets (n,)) for Fourier functionals, computed once for all covariances."""

    def __init__(self, functionals: Fourier, X: ArrayLike, y: ArrayLike) -> None:
        x = points("X", X, 1)[:, 0]
        t = vector("y", y, len(x))
        self.functionals, self.rows, self.square = functionals, len(x), float(t @ t)
        low, high, M = functionals.low, functionals.high, functionals.frequencies
        left, right = x < low, x > high
        inside = ~(left | right)
        self._inside = x[inside], t[inside]
        # each edge with the rows beyond it
        self._outside = [(edge, x[those], t[those]) for edge, those in ((low, left), (high, right)) if those.any()]
        self._turns = (self._inside[0] - low) / (high - low)
        self._alone = moments(self._turns, np.ones(len(self._turns)), 2 * M)
        self._targets = _stacked(moments(self._turns, self._inside[1], M))

    def products(self, covariance: KernelLike) -> Products:
        """The products under a covariance: O(M^2) if all rows are in [low, high] without ``ends``, else O(n M)."""
        k = covariances.of(covariance)
        self.functionals.check(k)
        at = MaternState.of(k)
        M = self.functionals.frequencies
        gram, projected = _products(self._alone, M), self._targets
        pulled = np.linalg.solve(at.matrix, self.functionals.rows(at)[: 2 * M + 1].T).T
        tails = []
        for edge, x, t in self._outside:
            c = at.tail(x - edge, 0)
            gram = gram + pulled @ (c @ c.T) @ pulled.T
            projected = projected + pulled @ (c @ t)
            tails.append((c, at.tail(x - self.functionals.high, 0), t))
        if self.functionals.ends:
            x, t = self._inside
            own = at.tail(x - self.functionals.high, 0)
            cross = np.array([_stacked(moments(self._turns, row, M)) for row in own]).T
            among, with_targets = own @ own.T, own @ t
            for c, beyond, targets in tails:
                cross, among = cross + pulled @ (c @ beyond.T), among + beyond @ beyond.T
                with_targets = with_targets + beyond @ targets
            gram = np.block([[gram, cross], [cross.T, among]])
            projected = np.concatenate([projected, with_targets])
        return Products(gram, projected, self.square, self.rows)


def _stacked(sums: Array) -> Array:
    """Stack the sums in the order of the functionals: cosines 0, ..., M, then sines 1, ..., M."""
    return np.concatenate([sums[0], sums[1, 1:]])


def _products(sums: Array, M: int) -> Array:
    """The sums of all products of two functions, from the sums of the modes 0, ..., 2 M."""
    C, S = sums
    i, j = np.arange(M + 1), np.arange(1, M + 1)
    cosines = 0.5 * (C[np.abs(i[:, None] - i)] + C[i[:, None] + i])
    sines = 0.5 * (C[np.abs(j[:, None] - j)] - C[j[:, None] + j])
    gap = j - i[:, None]
    mixed = 0.5 * (S[i[:, None] + j] + np.sign(gap) * S[np.abs(gap)])
    return np.block([[cosines, mixed], [mixed.T, sines]])


def whitened(sums: FourierSums, covariance: KernelLike, weights: Array | None = None) -> tuple[Products, float]:
    """The products of whitened features, and the sum of the residual variances over the rows.

    ``weights`` (m, size) are the weights of a `Projection`; if missing, C_LL is scaled to a unit diagonal and factored.
    """
    k = covariances.of(covariance)
    products = sums.products(k)
    if weights is None:
        matrix = sums.functionals.gram(k)
        unit = 1.0 / np.sqrt(matrix.diagonal())
        lower = linalg.cholesky(unit[:, None] * matrix * unit, lower=True)
        half = linalg.solve_triangular(lower, unit[:, None] * products.gram * unit, lower=True)
        gram = linalg.solve_triangular(lower, half.T, lower=True)
        projected = linalg.solve_triangular(lower, unit * products.projected, lower=True)
    else:
        gram, projected = weights.T @ products.gram @ weights, weights.T @ products.projected
    assert isinstance(k, Stationary)
    left = max(products.rows * k.variance - float(np.trace(gram)), 0.0)
    return products._replace(gram=0.5 * (gram + gram.T), projected=projected), left


@one_blas_thread()
def evidence_bound(sums: FourierSums, kernel: KernelLike, noise_variance: float) -> float:
    """The evidence lower bound of the sparse variational process, in nats, equal to ``SparseGaussianProcess.bound``."""
    noise = scale("noise_variance", noise_variance)
    return from_products(*whitened(sums, kernel), noise)[1]


@one_blas_thread()
def fit_with_functionals(
    kernel: Covariance, functionals: Fourier, X: ArrayLike, y: ArrayLike, noise: float, most_iterations: int = 200
) -> tuple[Covariance, float, Facts]:
    """The parameters with the highest evidence bound, by L-BFGS; see `fit_hyperparameters`."""
    sums = FourierSums(functionals, X, y)
    if not sums.square > 0.0:
        raise ValueError("y must vary, so that hyperparameters can be found, not be 0 in every row")
    limits = noise_limits(sums.square / sums.rows)

    def bound(logs: Array) -> float:
        return evidence_bound(sums, kernel.with_log_parameters(logs[:-1]), float(np.exp(logs[-1])))

    def objective(logs: Array) -> tuple[float, Array]:
        steps = STEP * np.eye(len(logs))
        slope = [(bound(logs + each) - bound(logs - each)) / (2.0 * STEP) for each in steps]
        return -bound(logs), -np.array(slope)

    found = maximise(objective, kernel, "evidence_bound", noise, limits, maxiter=most_iterations, ftol=EXACT)
    fit = {"parameters": by_name(kernel, found.logs), **found.facts}
    facts = {"rows": sums.rows, "functionals": len(functionals), "fits": [fit]}
    return kernel.with_log_parameters(found.logs[:-1]), float(np.exp(found.logs[-1])), facts
