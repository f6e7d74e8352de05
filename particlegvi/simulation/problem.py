"""Check every argument of a simulation and draw its start, before anything is compiled or written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from particlegvi import integrators
from particlegvi.contracts import Array, Distribution, Loss, Method, Prior, Start
from particlegvi.engine.numerics.kernel_cache import from_outside
from particlegvi.engine.terms.user_parts import try_loss, try_prior
from particlegvi.integrators import Integrator, schedules
from particlegvi.methods.flow import ParticleProblem
from particlegvi.methods.free_energy import HasOwnSteps
from particlegvi.methods.repulsion import check_kernel
from particlegvi.priors import Flat
from particlegvi.tools import arguments, machine, objects
from particlegvi.tools.limits import PARTICLES, STEP_SIZE, STEPS

FEW = 10  # a message shows at most so many coordinates


@dataclass(frozen=True)
class Settings:
    """The parameters of these names of `particlegvi.simulate`, as a user gives them; `check_problem` checks them."""

    particles: int | None = None  # None: 300, or as many as the start has points
    steps: int | str = STEPS  # "auto" is resolved before the check
    step_size: float | schedules.Schedule | Mapping[str, object] | str | None = None  # None: 1e-3
    integrator: str | Integrator | Mapping[str, object] = "euler-maruyama"
    tolerance: float = 1e-12
    record_every: int | None = None
    seed: int = 0


def check_problem(
    loss: Loss, method: Method, prior: Prior | None, initial: Start | None, settings: Settings
) -> ParticleProblem:
    """Check every argument of `particlegvi.simulate` and draw the start.

    Without a prior it is flat; without ``initial`` the start is drawn from the prior.
    """
    dim = objects.loss(loss, for_run=True).dim
    objects.method(method)
    prior = prior_or_flat(prior, dim)
    steps = arguments.whole("steps", settings.steps, least=0)
    record_every = settings.record_every
    if record_every is not None:
        record_every = arguments.whole("record_every", record_every, least=0)
    step_size = schedules.step_size_from(STEP_SIZE if settings.step_size is None else settings.step_size)
    schedules.largest(step_size, steps)
    if isinstance(step_size, schedules.Schedule) and not method.schedules:
        raise ValueError(f"step_size must be a number for {method.label}, not the schedule {step_size}")
    tolerance = arguments.positive("tolerance", settings.tolerance)
    if tolerance >= 1.0:
        raise arguments.refuse("tolerance", tolerance, "a number above 0 and below 1")
    seed = arguments.seed(settings.seed)
    integrator, friction = integrators.integrator_from(settings.integrator)
    method.check_integrator(integrator)
    if isinstance(loss, HasOwnSteps):
        loss.driver(integrators.get(integrator))
    check_kernel(method.kernel if method.mmd_weight > 0.0 else None, loss)
    if from_outside(prior):
        try_prior(prior)
    start = _start(initial, prior, replace(settings, steps=steps, record_every=record_every, seed=seed))
    _check_start(loss, start)
    if from_outside(loss):
        try_loss(loss, start)
    return ParticleProblem(loss, prior, start, steps, step_size, seed, integrator, tolerance, friction)


def prior_or_flat(prior: Prior | None, dim: int) -> Prior:
    """The prior of a loss of this dimension, checked; a flat one where none is given."""
    prior = Flat(dim) if prior is None else objects.prior(prior)
    objects.same_dim("prior", prior.dim, dim)
    return prior


def _start(initial: Start | None, prior: Prior, settings: Settings) -> Array:
    """Draw or check the starts of the particles, (particles, dim)."""
    dim, steps, particles = prior.dim, int(settings.steps), settings.particles
    if particles is not None:
        particles = arguments.whole("particles", particles, least=1, most=arguments.MOST_PARTICLES)
    given = prior if initial is None else objects.start(initial, dim)
    if isinstance(given, Distribution):
        particles = PARTICLES if particles is None else particles
        machine.check_run(particles, dim, steps, settings.record_every)
        start = given.sample(particles, seed=settings.seed)
    else:
        start = given
        if particles is not None and particles != len(start):
            raise ValueError(f"particles must be {len(start)}, as many points as initial has, not {particles}")
        machine.check_run(len(start), dim, steps, settings.record_every)
    if not np.all(np.isfinite(start)):
        raise ValueError(f"initial must be an array (particles, {dim}) of finite numbers, not one with NaN or infinity")
    outside = np.any((start < prior.low) | (start > prior.high), axis=1)
    if outside.any():
        particle = int(np.flatnonzero(outside)[0])
        raise ValueError(f"initial must be inside the prior's box, not have particle {particle} at {start[particle]}")
    return np.ascontiguousarray(start, dtype=np.float64)


def _check_start(loss: Loss, start: Array) -> None:
    """Check that the loss and its gradient are finite and of the right shape at every start."""
    with np.errstate(all="ignore"):
        for what, function, shape in (
            ("value", loss.value, start.shape[:1]), ("gradient", loss.gradient, start.shape)
        ):  # fmt: skip
            found = np.asarray(function(start))
            if found.shape != shape or found.dtype.kind not in "iuf":
                given = f"{found.dtype} of the shape {found.shape}"
                raise ValueError(f"the {what} of the loss must be real numbers of the shape {shape}, not {given}")
            good = np.isfinite(found).reshape(len(start), -1).all(axis=1)
            if not good.all():
                at = int(np.flatnonzero(~good)[0])
                what = "loss" if what == "value" else "gradient of the loss"
                few = start.shape[1] <= FEW  # a network has too many parameters to show
                number, place = (found[at], f" {start[at]}") if few else ("not finite", "")
                hint = "".join(
                    f"; it is finite where coordinate {coordinate + 1} is above 0: give it a prior on a half-line, such"
                    " as exponential or half-normal"
                    for coordinate, column in enumerate(start.T)
                    if np.array_equal(good, column > 0.0)
                )
                raise ValueError(f"the {what} is {number} at particle {at}'s start{place}; it must be finite{hint}")
