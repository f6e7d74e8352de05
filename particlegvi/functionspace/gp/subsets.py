"""The degenerate process of M regressors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.gp.certificate import Certificate
from particlegvi.functionspace.gp.exact_gp import ExactGaussianProcess
from particlegvi.functionspace.gp.sparse_gp import SparseGaussianProcess
from particlegvi.functionspace.likelihoods.regression import Gaussian
from particlegvi.tools.docstrings import shares_parameters


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
