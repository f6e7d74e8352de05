"""Projected Langevin sampling: posterior samples of functions (thesis, sections 6.5.3 and D.14)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Basis, StepProgress, Storage
from particlegvi.engine.numerics import noise
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import covariances, residuals
from particlegvi.functionspace.basis import PRIORS
from particlegvi.functionspace.basis.finding import find
from particlegvi.functionspace.basis.mercer import Mercer
from particlegvi.functionspace.basis.nystroem import with_inducing_points
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.functionals import Functionals
from particlegvi.functionspace.gp.placement import chosen_basis
from particlegvi.functionspace.likelihoods.likelihood import Likelihood, observations
from particlegvi.functionspace.prediction.posterior import FunctionPosterior
from particlegvi.functionspace.sampling import plans
from particlegvi.functionspace.sampling.cost import CostTask
from particlegvi.functionspace.sampling.lipschitz import PosteriorCertificate, certificate_of
from particlegvi.functionspace.sampling.plans import Plan
from particlegvi.functionspace.sampling.trace import Trace, Watch
from particlegvi.simulation.journal import Journal
from particlegvi.tools import objects
from particlegvi.tools.arguments import copied, points, refuse, scale, whole
from particlegvi.tools.registry import one_of

INTEGRATORS = ("exponential-euler", "euler-maruyama")
MOVES = ("mix", "none")
LONGEST = 8  # largest extension of a run, in units of the default length


@dataclass(eq=False, repr=False)
class ProjectedLangevinSampler(FunctionPosterior):
    """Samples of functions from the posterior of a Gaussian prior and any likelihood.

    A function is sum_m u_m e_m(x) plus an independent residual, with e_m the Nystroem eigenfunctions of the inducing
    points. The particles are draws of the coefficients u from the density proportional to exp(-V),

        V(u) = sum_n c(y_n, sum_m u_m e_m(x_n)) + sum_m u_m^2 / (2 prior variance of u_m)             (D.125)

    obtained by simulating the Langevin diffusion (6.14), whose stationary density is proportional to exp(-V). X and y
    are not scaled.

    Parameters
    ----------
    kernel : kernel or Covariance
        k, from :mod:`particlegvi.kernels` or :mod:`particlegvi.functionspace.covariances`.
    likelihood : likelihood
        From :mod:`particlegvi.functionspace.likelihoods`.
    inducing_points : array (M, inputs), int, Functionals or Basis
        Z, or the number of rows of X to select greedily (thesis, D.14.1), or other functionals, or a basis.
    particles : int
        Number of posterior samples, J.
    steps : int, optional
        Number of steps. By default enough for the slowest direction of the posterior to reach equilibrium, and more if
        the energies still drift then.
    step_size : float, optional
        Size of a step. A given value is the eta of (D.209), in the thesis's time; with ``moves="mix"`` it is in units
        of the relaxation time. By default it is one relaxation time for Gaussian noise, accepted steps adapt it, and
        others take 0.1 / (the largest curvature that is not integrated exactly).
    initial : "prior" or array (particles, size)
        Coefficients at the start.
    prior : str
        Prior of the coefficients: "rkhs", the thesis's N(0, Lambda), or "gp", N(0, I), for which the function's prior
        is the Gaussian process with covariance k.
    residual : str
        "gp": k conditioned on the values at Z; or "thesis": (D.219) as printed, made positive semi-definite.
    seed : int
    integrator : str
        "exponential-euler", with the linear part exact (all of the drift for a quadratic cost), or "euler-maruyama".
    moves : str, optional
        "none": Langevin steps only. "mix": steps that are accepted or refused, a start by annealing and, for a rate
        f^2, changes of sign. The default is "none" for Gaussian noise, for Euler-Maruyama, and for a convex cost with a
        given ``step_size``; otherwise it is "mix".

    Attributes
    ----------
    coefficients_ : array (particles, size)
    eigenvalues_ : array (size,)
        Eigenvalues of k(Z, Z) / M, descending; size is M unless some are below 1e-12 of the largest. A basis without
        inducing points has no eigenvalues.
    basis_, residual_ : Basis, residual
    step_size_, steps_ : float, int
        Step size and number of steps of the fit.
    info_ : dict
        Facts about the run; "equilibrium" holds the test for the stationary distribution.
    """

    kernel: KernelLike
    likelihood: Likelihood
    inducing_points: ArrayLike | int | Functionals | Basis
    particles: int = 100
    steps: int | None = None
    step_size: float | None = None
    _: KW_ONLY
    initial: ArrayLike | str = "prior"
    prior: str = "rkhs"
    residual: str = "gp"
    seed: int = 0
    integrator: str = "exponential-euler"
    moves: str | None = None

    def __post_init__(self) -> None:
        self.initial, self.inducing_points = copied(self.initial), copied(self.inducing_points)

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        progress: StepProgress | None = None,
        storage: Storage | None = None,
        *,
        watch: Watch | None = None,
    ) -> Self:
        """Sample the coefficients.

        Parameters
        ----------
        X : array (n, inputs)
        y : array (n,)
            Labels 0 and 1 for Bernoulli, whole numbers for Poisson.
        progress : callable, optional
            Called as ``progress(steps_done, steps)`` a few times a second.
        storage : Storage, optional
            Stores snapshots (`particlegvi.simulation.storage`). If it has a snapshot of the same fit, that fit
            continues, with the same bytes as without an interruption.
        watch : callable, optional
            Called as ``watch(steps_done, coefficients)`` at the start, after the first steps, and then at step numbers
            that grow geometrically, up to 45 times.

        Raises
        ------
        ValueError
            If an argument is bad, or the default length would be more than 20 million steps; before the first step.
        Diverged
            If a step makes a particle non-finite.

        Warns
        -----
        UserWarning
            If ``step_size`` is beyond the stability limit of the scheme.
        """
        objects.progress(progress)
        with one_blas_thread(), Journal(storage) as journal:
            task = self._task(X, y, journal)
            self._simulate(plans.choose(task, self.integrator, self.moves), task, progress, watch)
        return self

    def restored(self, basis: Basis, coefficients: Array) -> Self:
        """Set the basis and the coefficients (particles, size) from an earlier fit, and return the sampler.

        Predictions and samples then equal those of the earlier fit.
        """
        self.basis_ = basis
        self.residual_ = residuals.get(self.residual, basis)
        self._prior_variances = basis.prior_variances(self.prior)
        self.coefficients_ = coefficients
        for stale in ("_data", "_cost", "_coordinates"):
            vars(self).pop(stale, None)
        return self

    @property
    def eigenvalues_(self) -> Array:
        """Eigenvalues (size,), descending: of k(Z, Z) / M, or those of the Mercer basis."""
        basis = self.basis_
        return (basis if isinstance(basis, Mercer) else with_inducing_points(basis, "eigenvalues_")).eigenvalues

    def _task(self, X: ArrayLike, y: ArrayLike, journal: Journal) -> CostTask:
        """Check the arguments, and compute the basis at the data."""
        covariance = covariances.of(self.kernel)
        if not isinstance(self.likelihood, Likelihood):
            raise refuse("likelihood", self.likelihood, "one of particlegvi.functionspace.likelihoods")
        check_choices(self.moves, self.prior, self.residual, self.integrator)
        particles = whole("particles", self.particles, 1)
        steps = None if self.steps is None else whole("steps", self.steps, 1)
        step_size = None if self.step_size is None else scale("step_size", self.step_size)
        noise.key_words(self.seed)
        x = points("X", X, least=1)
        observed = observations(self.likelihood, y, len(x), "information")
        self._data = x.copy(), observed.copy()  # for the certificate: the caller may change its arrays
        choice = self.inducing_points
        self.basis_, self.selection_ = find(
            journal, covariance, choice, lambda: chosen_basis(covariance, choice, x, self.seed)
        )
        self.residual_ = residuals.get(self.residual, self.basis_)
        self._prior_variances = self.basis_.prior_variances(self.prior)
        return CostTask(
            likelihood=self.likelihood,
            X=x,
            y=observed,
            features=self.basis_.features(x),
            prior_variances=self._prior_variances,
            particles=particles,
            steps=steps,
            step_size=step_size,
            initial=self._initial(particles),
            seed=self.seed,
            journal=journal,
        )

    def _initial(self, particles: int) -> Array | None:
        if isinstance(self.initial, str):
            if self.initial != "prior":
                raise refuse("initial", self.initial, '"prior" or an array of coefficients')
            return None
        u = points("initial", self.initial, self.basis_.size)
        if len(u) != particles:
            raise ValueError(f"initial must have {particles} rows, one for each particle, not {len(u)}")
        return u

    def certificate(self) -> PosteriorCertificate:
        """Bound the distance of the posterior that is sampled from the exact one with the same prior and likelihood.

        For costs with a largest slope, with ``prior="gp"``, in O(n^3) time and O(n^2) memory. The posterior with
        Gaussian noise is that of `SparseGaussianProcess`, which has a ``certify`` of its own.
        """
        if "_data" not in vars(self):
            raise ValueError("certificate needs the data of a fit: call fit(X, y) before")
        return certificate_of(self, *self._data, self.prior)

    def potential(self, u: ArrayLike) -> Array:
        """V_infinity of (D.125) for coefficients (particles, size), without a constant; shape (particles,)."""
        coefficients = points("u", u, self.basis_.size)
        if "_cost" not in vars(self):
            raise ValueError("potential needs the data of a fit: call fit(X, y) before")
        with one_blas_thread():
            return self._energies(coefficients)

    def _energies(self, u: Array) -> Array:
        prior = 0.5 * np.sum(u * u / self._prior_variances, axis=1)
        return self._cost.costs(self._coordinates.of(u)) + prior

    def _simulate(self, plan: Plan, task: CostTask, progress: StepProgress | None, watch: Watch | None) -> None:
        self._coordinates, self._cost = plan.coordinates, plan.cost
        trace = Trace(plan, self._energies, task.signed_features(), task.journal, progress, watch=watch)
        trace.run(plan.steps)
        # Extend a default length if it was too short, at step numbers that depend on the arguments only.
        while task.steps is None and trace.drift().matters and trace.steps < LONGEST * plan.steps:
            trace.run(trace.steps)
        self.flow_ = plan.flow
        self.coefficients_ = plan.coordinates.coefficients(plan.flow.state)
        self.steps_, self.step_size_ = trace.steps, plan.step_size
        lowest = plan.lowest(self._prior_variances, trace.energies[-1])
        lowest = min(lowest, *(float(energies.min()) for energies in trace.energies))
        self.info_ = {
            "plan": plan.name,
            "steps": trace.steps,
            "step_size": plan.step_size,
            **plan.facts,
            **plan.flow.facts(),
            "basis": self.basis_.facts(),
            "selection": self.selection_,
            "likelihood": self.likelihood.facts(),
            "lowest_potential": lowest,
            "equilibrium": trace.verdict(lowest),
        }


def check_choices(moves: str | None, prior: str, residual: str, integrator: str) -> None:
    """Refuse a word that is no choice, and choices that exclude each other."""
    if moves is not None:
        one_of("kind of moves", moves, MOVES)
    one_of("prior of the coefficients", prior, PRIORS)
    one_of("residual", residual, residuals.names())
    one_of("integrator of projected Langevin sampling", integrator, INTEGRATORS)
    if residual == "thesis" and prior != "rkhs":
        raise ValueError(f'prior must be "rkhs" with residual="thesis", not "{prior}"')
    if moves == "mix" and integrator == "euler-maruyama":
        raise ValueError(
            'moves="mix" accepts or refuses exponential Euler steps: leave integrator out, or set moves to "none"'
        )
