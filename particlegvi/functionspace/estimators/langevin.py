"""Estimators by projected Langevin sampling, for numbers with Gaussian noise, for classes, and for counts."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.metrics import d2_tweedie_score

from particlegvi.contracts import Array
from particlegvi.functionspace import likelihoods
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.estimators.base import NOISE, Estimator, KernelClassifier, KernelSearch, Regressor
from particlegvi.functionspace.likelihoods.likelihood import Likelihood
from particlegvi.functionspace.sampling.sampler import ProjectedLangevinSampler
from particlegvi.tools import arguments
from particlegvi.tools.calls import shares_parameters


@shares_parameters()
@dataclass(eq=False, repr=False)
class ProjectedLangevinEstimator(KernelSearch, Estimator):
    """The parameters of the three estimators by projected Langevin sampling, and the fit of their sampler.

    Parameters
    ----------
    particles : int
        Number of posterior samples.
    steps : int, optional
        Number of steps. By default enough for the slowest direction of the posterior, doubled while the energies drift.
    step_size : float, optional
        Size of a step in the time of the diffusion. By default the sampler chooses it.
    prior : str
        "gp" makes the model a Gaussian process with this kernel, "rkhs" is the prior of the thesis.
    """

    kernel: KernelLike | None = None
    fit_kernel: bool = True
    inducing_points: int = 200
    particles: int = 100
    steps: int | None = None
    step_size: float | None = None
    _: KW_ONLY
    prior: str = "gp"

    result: ClassVar[str] = "sampler_"

    def _fit_sampler(self, likelihood: Likelihood, x: Array, t: Array, seed: int) -> Self:
        self.sampler_ = ProjectedLangevinSampler(
            kernel=self.kernel_,
            likelihood=likelihood,
            inducing_points=self._at_most(len(x)),
            particles=self.particles,
            steps=self.steps,
            step_size=self.step_size,
            prior=self.prior,
            seed=seed,
        ).fit(x, t)
        return self


@shares_parameters()
@dataclass(eq=False, repr=False)
class ProjectedLangevinRegressor(ProjectedLangevinEstimator, Regressor):
    """Regression by projected Langevin sampling, with hyperparameters found on the training rows.

    Attributes
    ----------
    sampler_ : ProjectedLangevinSampler
        The sampler, fitted to the scaled data.
    kernel_ : Covariance
    noise_variance_ : float
        The kernel and the noise variance of the fit.
    """

    _: KW_ONLY
    noise_variance: float = NOISE

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit inputs (n, dim) and targets (n,)."""
        self._check_kernel()
        noise = arguments.scale("noise_variance", self.noise_variance)
        x, t, seed = self._read_numbers(X, y)
        self.kernel_, self.noise_variance_ = self._regression_kernel(x, t, noise, seed)
        return self._fit_sampler(likelihoods.Gaussian(noise_variance=self.noise_variance_), x, t, seed)

    def sample_functions(self, X: ArrayLike) -> Array:
        """Posterior samples of the function without noise, in the units of the target, (particles, n)."""
        x = self._inputs(X)
        return self._in_units(self.sampler_.sample(x))


@shares_parameters()
@dataclass(eq=False, repr=False)
class ProjectedLangevinClassifier(ProjectedLangevinEstimator, KernelClassifier):
    """Classification by projected Langevin sampling, with hyperparameters found on the training rows.

    There are two classes, one function and the logistic link; `SparseGaussianProcessClassifier` takes more classes.

    Attributes
    ----------
    classes_ : array (2,)
        The labels, sorted.
    sampler_ : ProjectedLangevinSampler
        The sampler, fitted to the labels 0 and 1.
    kernel_ : Covariance
    """

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit inputs (n, dim) and labels (n,) of any type, of two classes."""
        x, labels, seed = self._read_classes(X, y)
        return self._fit_sampler(likelihoods.Bernoulli(), x, labels.astype(np.float64), seed)

    def predict_proba(self, X: ArrayLike) -> Array:
        x = self._inputs(X)
        probability = self.sampler_.predict_probability(x)
        return np.column_stack([1.0 - probability, probability])

    def sample_functions(self, X: ArrayLike) -> Array:
        """Posterior samples of the log odds of the second class, (particles, n)."""
        x = self._inputs(X)
        return self.sampler_.sample(x)

    def _read_labels(self, X: ArrayLike, y: ArrayLike) -> tuple[Array, np.ndarray, int]:
        x, labels, seed = super()._read_labels(X, y)
        if len(self.classes_) > 2:
            raise ValueError(
                f"y must hold two classes, not {len(self.classes_)}. Only binary classification is supported."
            )
        return x, labels, seed

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class PoissonLogRates(likelihoods.PoissonLog):
    """`PoissonLog` for any targets of at least 0, such as averages of counts, which scikit-learn allows."""

    __slots__ = ()

    name = "poisson-log-rates"

    def check_targets(self, y: ArrayLike, rows: int) -> Array:
        rates = arguments.vector("y", y, rows)
        if not (rates >= 0.0).all():
            raise ValueError(f"y must be numbers of at least 0, not {rates.min():g}")
        return rates


@shares_parameters()
@dataclass(eq=False, repr=False)
class ProjectedLangevinPoissonRegressor(RegressorMixin, ProjectedLangevinEstimator):
    """Regression of counts by projected Langevin sampling: y ~ Poisson(rate), with ``rate = mean of y * exp(f(x))``.

    The hyperparameters come from a Gaussian regression on ``log((y + 1/2) / (mean of y + 1/2))``.

    Attributes
    ----------
    exposure_ : float
        The factor of ``exp(f)``: the mean of y.
    sampler_ : ProjectedLangevinSampler
    kernel_ : Covariance
    """

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit inputs (n, dim) and counts (n,), or averages of counts, of at least 0."""
        self._check_kernel()
        x, targets, seed = self._read(X, y, y_numeric=True, ensure_min_samples=2)
        t = PoissonLogRates().check_targets(targets.astype(np.float64), len(x))
        if not t.any():
            raise ValueError("y must hold a count above 0, so that a rate can be found, not be 0 in every row")
        self.exposure_ = float(t.mean())
        logs = np.log((t + 0.5) / (self.exposure_ + 0.5))
        self.kernel_, _ = self._regression_kernel(x, logs, NOISE, seed)
        return self._fit_sampler(PoissonLogRates(self.exposure_), x, t, seed)

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """The posterior mean of the rate, (n,), and with ``return_std`` the standard deviation of a new count, (n,)."""
        x = self._inputs(X)
        return self.sampler_.predict(x, return_std, of="target")

    def sample_functions(self, X: ArrayLike) -> Array:
        """Posterior samples of the rate, without the noise of a count, (particles, n)."""
        x = self._inputs(X)
        return self.sampler_.likelihood.mean(self.sampler_.sample(x))

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The explained share of the Poisson deviance, at most 1: the score of scikit-learn's Poisson regressor."""
        return float(d2_tweedie_score(y, self.predict(X), sample_weight=sample_weight, power=1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        tags.regressor_tags.poor_score = True
        return tags
