"""The evidence bound under Fourier features from sums over the rows, and a search for hyperparameters with it.

The sums are computed once (`particlegvi.functionspace.basis.fourier_sums`). After that a bound costs O(M^3) for any
number of rows, if all rows are inside the interval and there are no ``ends``: a search can use millions of rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import covariances
from particlegvi.functionspace.basis.fourier_sums import FourierSums, Products
from particlegvi.functionspace.covariances.covariance import Covariance, KernelLike
from particlegvi.functionspace.covariances.stationary import Stationary
from particlegvi.functionspace.functionals import Fourier
from particlegvi.functionspace.gp.collapsed import from_products
from particlegvi.functionspace.gp.maximising import by_name, maximise, noise_limits
from particlegvi.tools.arguments import scale

STEP = 1e-4  # of central differences in the logarithms of the parameters: three digits more than the search needs
EXACT = 1e-12  # relative change of the bound that ends the search


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
        raise ValueError("y is 0 in every row; targets that vary are needed to find hyperparameters")
    limits = noise_limits(sums.square / sums.rows)

    def bound(logs: Array) -> float:
        return evidence_bound(sums, kernel.with_log_parameters(logs[:-1]), float(np.exp(logs[-1])))

    def objective(logs: Array) -> tuple[float, Array]:
        steps = STEP * np.eye(len(logs))
        slope = [(bound(logs + each) - bound(logs - each)) / (2.0 * STEP) for each in steps]
        return -bound(logs), -np.array(slope)

    names = [*kernel.parameter_names(), "noise_variance"]
    logs = np.append(kernel.log_parameters(), np.log(noise))
    found = maximise(objective, logs, names, "evidence_bound", limits, maxiter=most_iterations, ftol=EXACT)
    fit = {"parameters": by_name(names, found.logs), **found.facts}
    facts = {"rows": sums.rows, "functionals": len(functionals), "fits": [fit]}
    return kernel.with_log_parameters(found.logs[:-1]), float(np.exp(found.logs[-1])), facts
