"""Regression with Gaussian noise by an ensemble of networks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr
from sklearn.base import RegressorMixin

from particlegvi.contracts import Array, Kernel
from particlegvi.functionspace.estimators.scaled import RandomState
from particlegvi.metrics import mixture_nll
from particlegvi.networks.estimators.estimator import EnsembleEstimator
from particlegvi.networks.noise import noise_variance
from particlegvi.tools import arguments

BISECTIONS = 80


class EnsembleRegressor(RegressorMixin, EnsembleEstimator):
    """Regression by an ensemble of networks, with everything found from the data that is not given.

    The predictive distribution is the mixture of N(f_j(x), noise variance) over the members f_j.

    Parameters
    ----------
    noise_variance : float, optional
        Of an observation, in squared units of the target. By default the one with the largest likelihood of the
        validation rows.
    method, hidden, activation, parameterisation, particles, steps, step_size, batch_size, kl_weight, mmd_weight, \
    kernel, context, validation_fraction, standardise, random_state
        As in `EnsembleEstimator`.

    Attributes
    ----------
    network_ : Network
    particles_ : array (particles, dim)
    noise_variance_ : float
        In squared units of the target.
    kl_weight_ : float
        0 for DE and DRE.
    steps_ : int
    step_size_ : float
    rows_held_ : int
        Rows that decided about steps and noise.
    facts_ : dict
        What was chosen for a repulsion: its weight and the context.
    """

    def __init__(
        self,
        method: str = "DE",
        hidden: Sequence[int] = (50,),
        activation: str = "relu",
        parameterisation: str = "standard",
        particles: int = 10,
        steps: int | None = None,
        *,
        step_size: float | None = None,
        batch_size: int = 100,
        noise_variance: float | None = None,
        kl_weight: float | None = None,
        mmd_weight: float | None = None,
        kernel: Kernel | None = None,
        context: ArrayLike | None = None,
        validation_fraction: float = 0.1,
        standardise: bool = True,
        random_state: RandomState = None,
    ) -> None:
        super().__init__(
            method, hidden, activation, parameterisation, particles, steps,
            step_size=step_size, batch_size=batch_size, kl_weight=kl_weight, mmd_weight=mmd_weight, kernel=kernel,
            context=context, validation_fraction=validation_fraction, standardise=standardise,
            random_state=random_state,
        )  # fmt: skip
        self.noise_variance = noise_variance

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit inputs (n, features) and targets (n,)."""
        self._check_settings()
        if self.noise_variance is not None:
            arguments.positive("noise_variance", self.noise_variance)
        inputs, targets = self._validated(X, y, y_numeric=True, ensure_min_samples=2)
        seed = self._seed()
        x, t = self._learn_scale(inputs), self._learn_target_scale(targets.astype(np.float64))
        rows, held = self._split(len(t), seed)
        network = self._network(x.shape[1], 1)
        loss = self._loss(network, x[rows], t[rows], "squared")
        x_held, t_held = np.ascontiguousarray(x[held]), t[held]
        given = None if self.noise_variance is None else float(self.noise_variance) / self.target_scale_**2

        def variance(particles: Array) -> float:
            return noise_variance(t_held, network.predict(particles, x_held)) if given is None else given

        def score(particles: Array) -> float:
            functions = network.predict(particles, x_held)
            return mixture_nll(t_held, functions, math.sqrt(variance(particles)))

        weight = 0.0
        if self.method in ("DLE", "DRLE"):
            weight = float(self.kl_weight) if self.kl_weight is not None else 0.0
            if not weight:  # the noise that plain networks leave
                of_noise = given if given is not None else variance(self._train(loss, 0.0, score, seed, True).particles)
                weight = loss.kl_weight(of_noise)
        trained = self._train(loss, weight, score, seed)
        self._keep(loss, trained, weight)
        self.noise_variance_ = variance(trained.particles) * self.target_scale_**2
        return self

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """The mean of a new observation, (n,), and with ``return_std`` its standard deviation, noise included."""
        functions = self.sample_functions(X)
        mean = functions.mean(axis=0)
        return (mean, np.sqrt(functions.var(axis=0) + self.noise_variance_)) if return_std else mean

    def sample_functions(self, X: ArrayLike) -> Array:
        """The members, without noise, in the units of the target; (particles, n)."""
        x = self._inputs(X)
        return self.target_mean_ + self.target_scale_ * self.network_.predict(self.particles_, x)

    def disagreement(self, X: ArrayLike) -> Array:
        """The standard deviation of the members, without noise, in units of the target, (n,)."""
        return self.sample_functions(X).std(axis=0)

    def predict_quantiles(self, X: ArrayLike, levels: ArrayLike) -> Array:
        """Quantiles of a new observation, (levels, n), at levels above 0 and below 1: those of the mixture."""
        allowed = "numbers above 0 and below 1"
        probabilities = np.atleast_1d(arguments.array("levels", levels, allowed))
        if probabilities.ndim != 1 or not np.all((probabilities > 0.0) & (probabilities < 1.0)):
            raise arguments.refuse("levels", levels, allowed)
        functions, sd = self.sample_functions(X), math.sqrt(self.noise_variance_)
        shape = (len(probabilities), functions.shape[1])
        low = np.broadcast_to(functions.min(axis=0) - 40.0 * sd, shape)
        high = np.broadcast_to(functions.max(axis=0) + 40.0 * sd, shape)
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            below = np.mean(ndtr((middle[:, None] - functions) / sd), axis=1) < probabilities[:, None]
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return 0.5 * (low + high)

    def log_density(self, X: ArrayLike, y: ArrayLike) -> Array:
        """The logarithm of the mixture's density at targets y (n,), (n,)."""
        functions, sd = self.sample_functions(X), math.sqrt(self.noise_variance_)
        targets = arguments.vector("y", y, functions.shape[1])
        exponents = -0.5 * ((targets - functions) / sd) ** 2
        top = exponents.max(axis=0)
        return top + np.log(np.mean(np.exp(exponents - top), axis=0)) - math.log(sd * math.sqrt(2.0 * math.pi))
