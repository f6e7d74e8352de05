"""Estimators by sparse Gaussian processes, and by Gaussian Wasserstein inference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from particlegvi.contracts import Array
from particlegvi.engine.numerics import noise
from particlegvi.functionspace import likelihoods
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.estimators.base import NOISE, KernelClassifier, KernelSearch, Regressor
from particlegvi.functionspace.gp.certificate import Certificate
from particlegvi.functionspace.gp.sparse_gp import SparseGaussianProcess
from particlegvi.functionspace.means import Inducing, Mean, MeanNetwork
from particlegvi.functionspace.wasserstein.classes import ClassProcesses
from particlegvi.functionspace.wasserstein.inference import GaussianWasserstein
from particlegvi.tools import arguments
from particlegvi.tools.calls import shares_parameters

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(40)
MEANS = ("network", "inducing")


@shares_parameters()
@dataclass(eq=False, repr=False)
class SparseGaussianProcessRegressor(KernelSearch, Regressor):
    """Regression by a sparse variational Gaussian process, with hyperparameters found on the training rows.

    Parameters
    ----------
    placement : str
        Rule for the inducing points, see `SparseGaussianProcess`.

    Attributes
    ----------
    model_ : SparseGaussianProcess
        The process, fitted to the scaled data.
    kernel_ : Covariance
    noise_variance_ : float
        The kernel and the noise variance of the fit.
    """

    kernel: KernelLike | None = None
    fit_kernel: bool = True
    inducing_points: int = 200
    placement: str = "greedy"
    _: KW_ONLY
    noise_variance: float = NOISE

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit inputs (n, dim) and targets (n,)."""
        self._check_kernel()
        noise = arguments.scale("noise_variance", self.noise_variance)
        x, t, seed = self._read_numbers(X, y)
        self.kernel_, self.noise_variance_ = self._regression_kernel(x, t, noise, seed)
        likelihood = likelihoods.Gaussian(noise_variance=self.noise_variance_)
        self.model_ = SparseGaussianProcess(
            self.kernel_, likelihood, self._at_most(len(x)), seed=seed, placement=self.placement
        ).fit(x, t)
        return self

    def _observed(self, x: Array) -> tuple[Array, Array]:
        mean, sd = self.model_.predict(x, return_std=True)
        return mean, np.sqrt(sd**2 + self.noise_variance_)

    def sample_functions(self, X: ArrayLike, draws: int = 100) -> Array:
        """Draws of the function without noise, in the units of the target, (draws, n)."""
        return self._in_units(_draws(self.model_, self._inputs(X), draws))

    def certify(self) -> Certificate:
        """Bound the distance to the exact process of the same kernel, for the scaled data.

        See `SparseGaussianProcess.certify`.
        """
        return self.model_.certify()


@shares_parameters()
@dataclass(eq=False, repr=False)
class SparseGaussianProcessClassifier(KernelClassifier):
    """Classification by sparse variational Gaussian processes.

    Two classes have one process and the logistic link; J classes have J processes and the robust-max likelihood.

    Attributes
    ----------
    classes_ : array (J,)
    model_ : SparseGaussianProcess or, for more than two classes, ClassProcesses
        The model, fitted to the labels 0, ..., J - 1.
    kernel_ : Covariance
    """

    kernel: KernelLike | None = None
    fit_kernel: bool = True
    inducing_points: int = 200

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit inputs (n, dim) and labels (n,) of any type, with two or more classes."""
        x, labels, seed = self._read_classes(X, y)
        count = self._at_most(len(x))
        self.model_: SparseGaussianProcess | ClassProcesses
        if len(self.classes_) == 2:
            self.model_ = SparseGaussianProcess(self.kernel_, likelihoods.Bernoulli(), count, seed=seed).fit(x, labels)
        else:
            self.model_ = ClassProcesses(self.kernel_, count, "kl", seed=seed).fit(x, labels)
        return self

    def predict_proba(self, X: ArrayLike) -> Array:
        x = self._inputs(X)
        if isinstance(self.model_, ClassProcesses):
            return self.model_.predict_proba(x)
        mean, sd = self.model_.predict(x, return_std=True)
        likely = expit(mean[:, None] + sd[:, None] * NODES) @ (WEIGHTS / WEIGHTS.sum())
        return np.column_stack([1.0 - likely, likely])

    def sample_functions(self, X: ArrayLike, draws: int = 100) -> Array:
        """Draws of the functions, (draws, n, J), or of the log odds of the second of two classes, (draws, n)."""
        x, model = self._inputs(X), self.model_
        return model.sample(x, draws) if isinstance(model, ClassProcesses) else _draws(model, x, draws)


def _draws(model: SparseGaussianProcess, x: Array, draws: int) -> Array:
    normals = noise.normals(model.seed, "draws", arguments.whole("draws", draws, 1), model.basis.size + len(x))
    return model.sample(x, normals)


@shares_parameters()
@dataclass(eq=False, repr=False)
class GaussianWassersteinRegressor(KernelSearch, Regressor):
    """Regression with a network or least squares as mean, and the covariance of a sparse Gaussian process.

    The variances are multiplied by a factor from validation rows. The covariance is that of the sparse variational
    process (``covariance="svgp"`` of `GaussianWasserstein`): the minimiser of the objective has too small variances.

    Parameters
    ----------
    mean : str
        "network" or "inducing".
    hidden : sequence of int
        Units of each hidden layer of the network.
    validation_fraction : float
        Share of the rows that are kept from training: they choose the network's last epoch and the variance factor.
    placement : str
        Rule for the inducing points, see `GaussianWasserstein`: "elbo" learns them.

    Attributes
    ----------
    model_ : GaussianWasserstein
        The model, fitted to the scaled data.
    kernel_ : Covariance
    noise_variance_ : float
        Noise variance of an observation, in squared units of the scaled targets.
    """

    mean: str = "network"
    kernel: KernelLike | None = None
    fit_kernel: bool = True
    inducing_points: int = 200
    hidden: Sequence[int] = (10, 10)
    validation_fraction: float = 0.1
    placement: str = "greedy"

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit inputs (n, dim) and targets (n,)."""
        if self.mean not in MEANS:
            raise arguments.refuse("mean", self.mean, '"network" or "inducing"')
        self._check_kernel()
        fraction = arguments.fraction("validation_fraction", self.validation_fraction, "0")
        mean: Mean = MeanNetwork(self.hidden) if self.mean == "network" else Inducing()
        x, t, seed = self._read_numbers(X, y)
        rows, validation = self._held_out(len(t), fraction, seed, "validation of means")
        self.kernel_, self.noise_variance_ = self._regression_kernel(x[rows], t[rows], NOISE, seed)
        self.model_ = GaussianWasserstein(
            self.kernel_, likelihoods.Gaussian(noise_variance=self.noise_variance_), self._at_most(len(rows)), mean,
            covariance="svgp", placement=self.placement, seed=seed,
        ).fit(x[rows], t[rows], (x[validation], t[validation]) if len(validation) else None)  # fmt: skip
        return self

    def sample_functions(self, X: ArrayLike, draws: int = 100) -> Array:
        """Draws of the function without noise, in the units of the target, (draws, n)."""
        return self._in_units(self.model_.sample(self._inputs(X), draws))
