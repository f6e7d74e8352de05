"""Gaussian Wasserstein inference behind scikit-learn's interface: error bars around a network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin

from particlegvi.contracts import Array
from particlegvi.functionspace import likelihoods
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.estimators.scaled import RandomState, ScaledEstimator
from particlegvi.functionspace.gaussian_wasserstein import GaussianWasserstein
from particlegvi.functionspace.gp.automatic import default_kernel, regression_covariance
from particlegvi.functionspace.means import Inducing, Mean, Network
from particlegvi.tools import arguments
from particlegvi.tools.quoting import refuse

MEANS = ("network", "inducing")
NOISE = 0.1  # where the search for hyperparameters begins, and what it is without one


class GaussianWassersteinRegressor(RegressorMixin, ScaledEstimator):
    """Regression with a mean of one's choice and the covariance of a sparse Gaussian process.

    The variances are multiplied by a factor from validation rows. The covariance is that of the sparse variational
    process (``covariance="svgp"`` of `GaussianWasserstein`): what the objective itself asks for is far too sure.

    Parameters
    ----------
    mean : str
        "network" or "inducing".
    kernel : Covariance or a kernel of particlegvi.kernels, optional
        By default a squared exponential with a lengthscale for each input.
    fit_kernel : bool
        Whether hyperparameters are found on the training rows.
    inducing_points : int
        At most this many.
    hidden : sequence of int
        Units of each hidden layer of the network.
    validation_fraction : float
        Share of the rows that end the training of the network and decide about the variance factor.
    standardise : bool
        Whether inputs and targets are brought to mean 0 and standard deviation 1 first.
    random_state : int, RandomState or None

    Attributes
    ----------
    model_ : GaussianWasserstein
        Fitted to the scaled data.
    kernel_ : Covariance
    noise_variance_ : float
        Of the scaled targets.
    """

    def __init__(
        self,
        mean: str = "network",
        kernel: KernelLike | None = None,
        fit_kernel: bool = True,
        inducing_points: int = 200,
        hidden: Sequence[int] = (10, 10),
        validation_fraction: float = 0.1,
        *,
        standardise: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.mean = mean
        self.kernel = kernel
        self.fit_kernel = fit_kernel
        self.inducing_points = inducing_points
        self.hidden = hidden
        self.validation_fraction = validation_fraction
        self.standardise = standardise
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit inputs (n, dim) and targets (n,)."""
        if self.mean not in MEANS:
            raise refuse("mean", self.mean, '"network" or "inducing"')
        for key, value in (("fit_kernel", self.fit_kernel), ("standardise", self.standardise)):
            arguments.flag(key, value)
        count = arguments.whole("inducing_points", self.inducing_points, 1)
        fraction = arguments.fraction("validation_fraction", self.validation_fraction, "0")
        mean: Mean = Network(self.hidden) if self.mean == "network" else Inducing()
        inputs, targets = self._validated(X, y, y_numeric=True, ensure_min_samples=2)
        seed = self._seed()
        x, t = self._learn_scale(inputs), self._learn_target_scale(targets.astype(np.float64))
        rows, validation = self._held_out(len(t), fraction, seed, "validation of means")
        self.kernel_ = default_kernel(x.shape[1], False) if self.kernel is None else self.kernel
        self.noise_variance_ = NOISE
        if self.fit_kernel:
            self.kernel_, self.noise_variance_ = regression_covariance(x[rows], t[rows], self.kernel_, NOISE, seed)
        self.model_ = GaussianWasserstein(
            self.kernel_, likelihoods.Gaussian(noise_variance=self.noise_variance_), min(count, len(rows)), mean,
            covariance="svgp", seed=seed,
        ).fit(x[rows], t[rows], (x[validation], t[validation]) if len(validation) else None)  # fmt: skip
        return self

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """The mean of a new observation, (n,), and with ``return_std`` its standard deviation, noise included."""
        x = self._inputs(X)
        if not return_std:
            return self.target_mean_ + self.target_scale_ * self.model_.predict(x)
        mean, sd = self.model_.predict(x, return_std=True, of="target")
        return self.target_mean_ + self.target_scale_ * mean, self.target_scale_ * sd

    def sample_functions(self, X: ArrayLike, draws: int = 100) -> Array:
        """Draws of the function, without noise, in the units of the target; (draws, n)."""
        return self.target_mean_ + self.target_scale_ * self.model_.sample(self._inputs(X), draws)

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in vars(self)
