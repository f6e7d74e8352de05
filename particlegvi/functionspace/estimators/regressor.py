"""Regression with Gaussian noise."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin

from particlegvi.contracts import Array
from particlegvi.functionspace import likelihoods
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.estimators.estimator import ProjectedLangevinEstimator
from particlegvi.functionspace.estimators.scaled import RandomState
from particlegvi.functionspace.gp.automatic import regression_covariance
from particlegvi.tools import arguments


class ProjectedLangevinRegressor(RegressorMixin, ProjectedLangevinEstimator):
    """Regression by projected Langevin sampling, with hyperparameters found on the training rows.

    Parameters
    ----------
    noise_variance : float
        Of an observation, in squared units of the target (of the scaled one, if ``standardise``). With ``fit_kernel``
        it is the start of the search.
    kernel, fit_kernel, inducing_points, particles, steps, step_size, prior, standardise, random_state
        As in `ProjectedLangevinEstimator`.

    Attributes
    ----------
    sampler_ : ProjectedLangevinSampler
        Fitted to the scaled data.
    kernel_ : Covariance
    noise_variance_ : float
        Both as they were used.
    """

    def __init__(
        self,
        kernel: KernelLike | None = None,
        fit_kernel: bool = True,
        inducing_points: int = 200,
        particles: int = 100,
        steps: int | None = None,
        step_size: float | None = None,
        *,
        prior: str = "gp",
        standardise: bool = True,
        random_state: RandomState = None,
        noise_variance: float = 0.1,
    ) -> None:
        super().__init__(
            kernel, fit_kernel, inducing_points, particles, steps, step_size,
            prior=prior, standardise=standardise, random_state=random_state,
        )  # fmt: skip
        self.noise_variance = noise_variance

    def _data(self, X: ArrayLike, y: ArrayLike, **rules: bool | int) -> tuple[Array, np.ndarray]:
        arguments.scale("noise_variance", self.noise_variance)
        return super()._data(X, y, **rules)

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit inputs (n, dim) and targets (n,)."""
        inputs, targets = self._data(X, y, y_numeric=True, ensure_min_samples=2)
        seed = self._seed()
        x, t = self._learn_scale(inputs), self._learn_target_scale(targets.astype(np.float64))
        self.kernel_, self.noise_variance_ = self._start(x.shape[1]), self.noise_variance
        if self.fit_kernel:
            self.kernel_, self.noise_variance_ = regression_covariance(x, t, self.kernel_, self.noise_variance, seed)
        self._fit_sampler(likelihoods.Gaussian(noise_variance=self.noise_variance_), x, t, seed)
        return self

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """The mean of a new observation, (n,), and with ``return_std`` its standard deviation, noise included."""
        x = self._inputs(X)
        mean, sd = self.sampler_.predict(x, return_std=True, of="target")
        mean = self.target_mean_ + self.target_scale_ * mean
        return (mean, self.target_scale_ * sd) if return_std else mean

    def sample_functions(self, X: ArrayLike) -> Array:
        """Posterior samples of the function, without noise, in the units of the target; (particles, n)."""
        x = self._inputs(X)
        return self.target_mean_ + self.target_scale_ * self.sampler_.sample(x)
