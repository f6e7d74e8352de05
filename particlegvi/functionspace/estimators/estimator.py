"""The base class of the estimators: parameters, scale of the inputs, and the sampler."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.estimators.scaled import RandomState, ScaledEstimator
from particlegvi.functionspace.gp.automatic import default_kernel
from particlegvi.functionspace.likelihoods.likelihood import Likelihood
from particlegvi.functionspace.sampling.sampler import ProjectedLangevinSampler
from particlegvi.tools import arguments


class ProjectedLangevinEstimator(ScaledEstimator):
    """The part of an estimator that is the same for all kinds of targets; subclasses fit and predict.

    Parameters
    ----------
    kernel : Covariance or a kernel of particlegvi.kernels, optional
        By default a squared exponential. With ``fit_kernel`` it is the start of the search for hyperparameters.
    fit_kernel : bool
        Whether hyperparameters are found on the training rows.
    inducing_points : int
        At most this many, chosen greedily; never more than there are rows.
    particles : int
    steps, step_size
        As in `ProjectedLangevinSampler`, whose defaults hold.
    prior : str
        "gp" makes the model a Gaussian process with this kernel, "rkhs" is the thesis's.
    standardise : bool
        Whether inputs (and, in regression, targets) are brought to mean 0 and standard deviation 1 first. Predictions
        are in the units of the targets either way.
    random_state : int, RandomState or None
    """

    moves: str | None = None  # of the sampler
    shared_lengthscale = False  # whether the default kernel has one lengthscale for all inputs

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
    ) -> None:
        self.kernel = kernel
        self.fit_kernel = fit_kernel
        self.inducing_points = inducing_points
        self.particles = particles
        self.steps = steps
        self.step_size = step_size
        self.prior = prior
        self.standardise = standardise
        self.random_state = random_state

    def _data(self, X: ArrayLike, y: ArrayLike, **rules: bool | int) -> tuple[Array, np.ndarray]:
        """Check the data, and the settings that the sampler does not check itself; the inputs and the targets."""
        arguments.flag("fit_kernel", self.fit_kernel)
        arguments.flag("standardise", self.standardise)
        arguments.whole("inducing_points", self.inducing_points, 1)
        return self._validated(X, y, **rules)

    def _start(self, inputs: int) -> KernelLike:
        """The given kernel, or the default one: the start of a search for hyperparameters."""
        return default_kernel(inputs, self.shared_lengthscale) if self.kernel is None else self.kernel

    def _fit_sampler(self, likelihood: Likelihood, X: Array, y: Array, seed: int) -> None:
        self.sampler_ = ProjectedLangevinSampler(
            kernel=self.kernel_,
            likelihood=likelihood,
            inducing_points=min(int(self.inducing_points), len(X)),
            particles=self.particles,
            steps=self.steps,
            step_size=self.step_size,
            prior=self.prior,
            moves=self.moves,
            seed=seed,
        ).fit(X, y)

    def __sklearn_is_fitted__(self) -> bool:
        return "sampler_" in vars(self)
