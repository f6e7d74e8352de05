"""Regression with Gaussian noise, and classification in two or more classes, by an ensemble of networks."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.estimators.base import Classifier, Regressor
from particlegvi.metrics import mixture_nll
from particlegvi.metrics.mixtures import Mixture
from particlegvi.networks.estimators.estimator import EnsembleEstimator
from particlegvi.networks.mixtures import class_probabilities, mutual_information, noise_variance
from particlegvi.tools import arguments
from particlegvi.tools.calls import shares_parameters


@shares_parameters()
@dataclass(eq=False, repr=False)
class EnsembleRegressor(EnsembleEstimator, Regressor):
    """Regression by an ensemble of networks; the data choose every setting that is not given.

    The predictive distribution is the mixture of N(f_j(x), noise variance) over the members f_j.

    Parameters
    ----------
    noise_variance : float, optional
        Noise variance of an observation, in squared units of the target. By default the variance that gives the
        validation rows the largest likelihood.

    Attributes
    ----------
    noise_variance_ : float
        Noise variance of an observation, in squared units of the target.
    network_, particles_, kl_weight_, steps_, step_size_, rows_held_, facts_
        Attributes of `EnsembleEstimator`.
    """

    _: KW_ONLY
    noise_variance: float | None = None

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit inputs (n, features) and targets (n,)."""
        self._check_settings()
        if self.noise_variance is not None:
            arguments.positive("noise_variance", self.noise_variance)
        x, t, seed = self._read_numbers(X, y)
        rows, held = self._split(len(t), seed)
        network = self._network(x.shape[1], 1)
        loss = self._loss(network, x[rows], t[rows], "squared")
        x_held, t_held = np.ascontiguousarray(x[held]), t[held]
        known = None if self.noise_variance is None else float(self.noise_variance) / self.target_scale_**2

        def variance(particles: Array) -> float:
            return noise_variance(t_held, network.predict(particles, x_held)) if known is None else known

        def score(particles: Array) -> float:
            functions = network.predict(particles, x_held)
            return mixture_nll(t_held, functions, math.sqrt(variance(particles)))

        weight = 0.0
        if self.method in ("DLE", "DRLE"):
            weight = float(self.kl_weight) if self.kl_weight is not None else 0.0
            if not weight:  # estimate the noise from the residuals of plain networks
                of_noise = known if known is not None else variance(self._train(loss, 0.0, score, seed, True).particles)
                weight = loss.kl_weight(of_noise)
        trained = self._train(loss, weight, score, seed)
        self._keep(loss, trained, weight)
        self.noise_variance_ = variance(trained.particles) * self.target_scale_**2
        return self

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        mixture = self._mixture(X)
        return (mixture.mean(), mixture.sd()) if return_std else mixture.mean()

    def _mixture(self, X: ArrayLike) -> Mixture:
        """The distribution of a new observation, in the units of the target."""
        return Mixture(self.sample_functions(X), math.sqrt(self.noise_variance_))

    def sample_functions(self, X: ArrayLike) -> Array:
        """The members' functions without noise, in the units of the target, (particles, n)."""
        x = self._inputs(X)
        return self._in_units(self.network_.predict(self.particles_, x))

    def disagreement(self, X: ArrayLike) -> Array:
        """The standard deviation of the members, without noise, in units of the target, (n,)."""
        return self.sample_functions(X).std(axis=0)

    def predict_quantiles(self, X: ArrayLike, levels: ArrayLike) -> Array:
        """Quantiles of the mixture for a new observation, (levels, n), at levels above 0 and below 1."""
        return np.atleast_2d(self._mixture(X).quantile(levels))

    def log_density(self, X: ArrayLike, y: ArrayLike) -> Array:
        """The logarithm of the mixture's density at targets y (n,); its shape is (n,)."""
        mixture = self._mixture(X)
        return mixture.log_density(arguments.vector("y", y, mixture.centres.shape[1]))


SMALLEST = 1e-300


@shares_parameters()
@dataclass(eq=False, repr=False)
class EnsembleClassifier(EnsembleEstimator, Classifier):
    """Classification by an ensemble of networks, which predicts the mean of the members' probabilities.

    The cost is "logistic" for two classes and "softmax" for more. The default kl_weight of DLE and DRLE is 1 / n.

    Attributes
    ----------
    classes_ : array (classes,)
        The labels, sorted.
    network_, particles_, kl_weight_, steps_, step_size_, rows_held_, facts_
        Attributes of `EnsembleEstimator`.
    """

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit inputs (n, features) and labels (n,) of any type, with two or more classes."""
        self._check_settings()
        x, labels, seed = self._read_labels(X, y)
        t = labels.astype(np.float64)
        rows, held = self._split(len(t), seed)
        two = len(self.classes_) == 2
        network = self._network(x.shape[1], 1 if two else len(self.classes_))
        loss = self._loss(network, x[rows], t[rows], "logistic" if two else "softmax")
        x_held = np.ascontiguousarray(x[held])

        def score(particles: Array) -> float:
            likely = class_probabilities(network.predict(particles, x_held)).mean(axis=0)
            return -float(np.mean(np.log(np.maximum(likely[np.arange(len(held)), labels[held]], SMALLEST))))

        weight = float(self.kl_weight) if self.kl_weight is not None else loss.kl_weight()
        self._keep(loss, self._train(loss, weight, score, seed), weight)
        return self

    def predict_proba(self, X: ArrayLike) -> Array:
        return self.sample_probabilities(X).mean(axis=0)

    def sample_probabilities(self, X: ArrayLike) -> Array:
        """The probabilities of each member, (particles, n, classes)."""
        x = self._inputs(X)
        return class_probabilities(self.network_.predict(self.particles_, x))

    def disagreement(self, X: ArrayLike) -> Array:
        """The mutual information of label and member in nats, (n,): entropy of the mean less the mean of the entropies.

        It is 0 if all members predict the same probabilities, however unsure, and at most log(classes).
        """
        return mutual_information(self.sample_probabilities(X))
