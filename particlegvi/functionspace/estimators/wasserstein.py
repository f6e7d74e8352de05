"""Gaussian Wasserstein inference behind scikit-learn's interface: error bars around a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace import likelihoods
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.estimators.base import Regressor
from particlegvi.functionspace.estimators.kernel_search import NOISE, KernelSearch
from particlegvi.functionspace.means import Inducing, Mean, MeanNetwork
from particlegvi.functionspace.wasserstein.inference import GaussianWasserstein
from particlegvi.tools import arguments
from particlegvi.tools.quoting import refuse

MEANS = ("network", "inducing")


@dataclass(eq=False, repr=False)
class GaussianWassersteinRegressor(KernelSearch, Regressor):
    """Regression with a network or least squares as mean, and the covariance of a sparse Gaussian process.

    The variances are multiplied by a factor from validation rows. The covariance is that of the sparse variational
    process (``covariance="svgp"`` of `GaussianWasserstein`): the minimiser of the objective has too small variances.

    Parameters
    ----------
    mean : str
        "network" or "inducing".
    kernel : Covariance or a kernel of particlegvi.kernels, optional
        Covariance of the function, by default a squared exponential with a lengthscale for each input.
    fit_kernel : bool
        Whether hyperparameters are fitted to the training rows.
    inducing_points : int
        Largest number of inducing points.
    hidden : sequence of int
        Units of each hidden layer of the network.
    validation_fraction : float
        Share of the rows that are kept from training: they choose the network's last epoch and the variance factor.
    standardise : bool
        Whether inputs and targets are scaled to mean 0 and standard deviation 1 first.
    random_state : int, RandomState or None

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

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit inputs (n, dim) and targets (n,)."""
        if self.mean not in MEANS:
            raise refuse("mean", self.mean, '"network" or "inducing"')
        self._check_kernel()
        fraction = arguments.fraction("validation_fraction", self.validation_fraction, "0")
        mean: Mean = MeanNetwork(self.hidden) if self.mean == "network" else Inducing()
        x, t, seed = self._read_numbers(X, y)
        rows, validation = self._held_out(len(t), fraction, seed, "validation of means")
        self.kernel_, self.noise_variance_ = self._regression_kernel(x[rows], t[rows], NOISE, seed)
        self.model_ = GaussianWasserstein(
            self.kernel_, likelihoods.Gaussian(noise_variance=self.noise_variance_), self._at_most(len(rows)), mean,
            covariance="svgp", seed=seed,
        ).fit(x[rows], t[rows], (x[validation], t[validation]) if len(validation) else None)  # fmt: skip
        return self

    def _observed(self, x: Array, return_std: bool) -> tuple[Array, Array]:
        if not return_std:
            return self.model_.predict(x), np.empty(0)
        mean, sd = self.model_.predict(x, return_std=True, of="target")
        return mean, sd

    def sample_functions(self, X: ArrayLike, draws: int = 100) -> Array:
        """Draws of the function without noise, in the units of the target, (draws, n)."""
        x = self._inputs(X)
        return self._in_units(self.model_.sample(x, draws))
