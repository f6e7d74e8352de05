"""Two approximations by some of the rows: the exact process of a subset, and the degenerate process of M regressors."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import selection
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.functionals import Functionals
from particlegvi.functionspace.gp.certificate import Certificate
from particlegvi.functionspace.gp.exact_gp import ExactGaussianProcess
from particlegvi.functionspace.gp.sparse_gp import SparseGaussianProcess
from particlegvi.functionspace.likelihoods.regression import Gaussian
from particlegvi.tools import arguments
from particlegvi.tools.arguments import points, refuse, vector, whole
from particlegvi.tools.docstrings import shares_parameters
from particlegvi.tools.registry import look_up

ROWS_ONLY = ("greedy", "random")  # rules whose points are rows of X


@shares_parameters(SparseGaussianProcess)
class SubsetOfData(ExactGaussianProcess):
    """The exact posterior of M of the n rows, in O(M^3).

    Parameters
    ----------
    rows : int
        M, at most n.
    selection : str
        "random" or "greedy"; see `particlegvi.functionspace.selection`.

    Attributes
    ----------
    indices : array (M,)
        Numbers of the chosen rows of X.
    facts : dict
        Facts of the selection.

    Source: Rasmussen and Williams (2006), 8.3.3.
    """

    def __init__(
        self, kernel: KernelLike, noise_variance: float, rows: int = 500, selection: str = "random", seed: int = 0
    ) -> None:
        super().__init__(kernel, noise_variance)
        self.rows = whole("rows", rows, 1)
        self.selection = look_up("selection of rows", selection, {name: name for name in ROWS_ONLY})
        self.seed = arguments.seed(seed)

    def fit(self, X: ArrayLike | Functionals, y: ArrayLike) -> Self:
        """Condition on some of the rows of inputs (n, dim) and targets (n,); see `ExactGaussianProcess.fit`."""
        if isinstance(X, Functionals):
            raise refuse("X", X, "an array (n, dim), of whose rows some are chosen")
        x = points("X", X)
        t = vector("y", y, len(x))
        if self.rows > len(x):
            raise refuse("rows", self.rows, f"a whole number from 1 to {len(x)}, the rows of X")
        chosen = selection.select(self.selection, self.covariance, x, self.rows, self.seed)
        assert chosen.indices is not None
        self.indices, self.facts = chosen.indices, chosen.facts
        return super().fit(x[self.indices], t[self.indices])


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
        """Draws of f(X), shape (draws, n), from standard normals (draws, M); they lie in a space of M dimensions."""
        return self.law.draws(normals) @ self.basis.features(X).T
