"""Regression of counts."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.metrics import d2_tweedie_score

from particlegvi.contracts import Array
from particlegvi.functionspace import likelihoods
from particlegvi.functionspace.estimators.estimator import ProjectedLangevinEstimator
from particlegvi.functionspace.gp.automatic import regression_covariance
from particlegvi.tools.arguments import vector


class PoissonLogRates(likelihoods.PoissonLog):
    """`PoissonLog` for any targets of at least 0, such as averages of counts, as scikit-learn allows them."""

    __slots__ = ()

    name = "poisson-log-rates"

    def check_targets(self, y: ArrayLike, rows: int) -> Array:
        """The targets as an array (rows,)."""
        rates = vector("y", y, rows)
        if not (rates >= 0.0).all():
            raise ValueError(f"y must be numbers of at least 0, not {rates.min():g}")
        return rates


class ProjectedLangevinPoissonRegressor(RegressorMixin, ProjectedLangevinEstimator):
    """Regression of counts by projected Langevin sampling: y ~ Poisson(rate), with ``rate = mean of y * exp(f(x))``.

    The hyperparameters are those of a Gaussian regression on ``log((y + 1/2) / (mean of y + 1/2))``.

    Parameters
    ----------
    kernel, fit_kernel, inducing_points, particles, steps, step_size, prior, standardise, random_state
        As in `ProjectedLangevinEstimator`.

    Attributes
    ----------
    exposure_ : float
        What ``exp(f)`` is multiplied by: the mean of y.
    sampler_ : ProjectedLangevinSampler
    kernel_ : Covariance
    """

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit inputs (n, dim) and counts (n,), or averages of counts, of at least 0."""
        inputs, targets = self._data(X, y, y_numeric=True, ensure_min_samples=2)
        seed = self._seed()
        x, t = self._learn_scale(inputs), targets.astype(np.float64)
        t = PoissonLogRates().check_targets(t, len(t))
        if not t.any():
            raise ValueError("y is 0 in every row; a count above 0 is needed to find a rate")
        self.exposure_ = float(t.mean())
        self.kernel_ = self._start(x.shape[1])
        if self.fit_kernel:
            logs = np.log((t + 0.5) / (self.exposure_ + 0.5))
            self.kernel_ = regression_covariance(x, logs, self.kernel_, 0.1, seed)[0]
        self._fit_sampler(PoissonLogRates(self.exposure_), x, t, seed)
        return self

    def predict(self, X: ArrayLike) -> Array:
        """The posterior mean of the rate, (n,)."""
        x = self._inputs(X)
        return self.sampler_.predict(x, of="target")

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The share of the Poisson deviance that is explained, at most 1, as for scikit-learn's Poisson regressor."""
        return float(d2_tweedie_score(y, self.predict(X), sample_weight=sample_weight, power=1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        tags.regressor_tags.poor_score = True
        return tags
