"""The evidence bound under Fourier features from sums over the rows, and hyperparameters of millions of rows from it.

The sums are taken once (`particlegvi.functionspace.basis.fourier_sums`). After that a bound costs O(M^3), whatever the
number of rows, if all of them are inside of the interval and there are no ``ends``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, optimize

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import covariances
from particlegvi.functionspace.basis.fourier_sums import FourierSums, Products
from particlegvi.functionspace.covariances.covariance import Covariance, KernelLike
from particlegvi.functionspace.covariances.stationary import Stationary
from particlegvi.functionspace.functionals import Fourier
from particlegvi.functionspace.gp.collapsed import from_products
from particlegvi.tools.arguments import scale

STEP = 1e-4  # of central differences in the logarithms of the parameters: three digits more than the search needs
REACH = 1e3  # a parameter of the covariance stays within this factor of where it began
NOISE = (1e-6, 1e2)  # the noise variance relative to the mean square of the targets
EXACT = 1e-12  # relative change of the bound that ends the search


def whitened(sums: FourierSums, covariance: KernelLike, weights: Array | None = None) -> tuple[Products, float]:
    """The products of whitened features, and the variances that they leave, summed over the rows.

    ``weights`` (m, size) are those of a `Projection`; without them C_LL is brought to a unit diagonal and factored.
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
    """The evidence lower bound of the sparse variational process, in nats, as ``SparseGaussianProcess.bound``.

    Raises
    ------
    ValueError
        If the covariance is no Matern covariance of order 1/2, 3/2 or 5/2 on the line, or the noise is not positive.
    """
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
    limits = np.log(NOISE) + np.log(sums.square / sums.rows)

    def bound(logs: Array) -> float:
        return evidence_bound(sums, kernel.with_log_parameters(logs[:-1]), float(np.exp(logs[-1])))

    def objective(logs: Array) -> tuple[float, Array]:
        steps = STEP * np.eye(len(logs))
        slope = [(bound(logs + each) - bound(logs - each)) / (2.0 * STEP) for each in steps]
        return -bound(logs), -np.array(slope)

    begin = np.append(kernel.log_parameters(), np.clip(np.log(noise), *limits))
    low, high = begin - np.log(REACH), begin + np.log(REACH)
    low[-1], high[-1] = limits
    options = {"maxiter": most_iterations, "ftol": EXACT}
    found = optimize.minimize(
        objective, begin, jac=True, method="L-BFGS-B", bounds=optimize.Bounds(low, high), options=options
    )
    names = [*kernel.parameter_names(), "noise_variance"]
    values = np.exp(found.x)
    fit = {
        "parameters": dict(zip(names, values.tolist(), strict=True)),
        "evidence_bound": {"before": bound(begin), "after": -float(found.fun)},
        "iterations": int(found.nit),
        "converged": bool(found.success),
        "at_bound": [name for name, at in zip(names, (found.x <= low) | (found.x >= high), strict=True) if at],
    }
    facts = {"rows": sums.rows, "functionals": len(functionals), "fits": [fit]}
    return kernel.with_log_parameters(found.x[:-1]), float(values[-1]), facts
