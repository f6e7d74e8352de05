"""Checking every argument of a simulation, and drawing its start, before anything is compiled or written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from particlegvi import integrators, schedules
from particlegvi.methods.flow import Problem
from particlegvi.priors import Flat
from particlegvi.tools import arguments, memory, parts
from particlegvi.tools.arguments import positive as _positive
from particlegvi.tools.arguments import whole as _whole


def check_problem(
    loss: Any,
    method: Any,
    prior: Any,
    particles: int | None,
    steps: int,
    step_size: float | schedules.Schedule | Mapping[str, Any],
    initial: Any,
    seed: int,
    integrator: str,
    tolerance: float,
    record_every: int | None,
) -> Problem:
    """Check every argument of :func:`simulate` and draw the start; a bad one is a ``ValueError`` in one sentence."""
    dim = parts.loss(loss).dim
    parts.part("loss", loss, ("gradient_at",), "a Loss, or an object with gradient_at(points, step, seed),")
    parts.method(method)
    prior = Flat(dim) if prior is None else parts.prior(prior)
    parts.same_dim("prior", prior.dim, dim)
    steps = _whole("steps", steps, least=0)
    if record_every is not None:
        record_every = _whole("record_every", record_every, least=0)
    step_size = schedules.resolved(step_size)
    schedules.largest(step_size, steps)
    if isinstance(step_size, schedules.Schedule) and not getattr(method, "schedules", False):
        raise ValueError(f"step_size is a schedule, {step_size}; for {method.label} only a number is allowed")
    tolerance = _positive("tolerance", tolerance)
    if tolerance >= 1.0:
        raise ValueError(f"tolerance is {tolerance!r}; a number above 0 and below 1 is allowed")
    seed = arguments.seed(seed)
    integrators.get(integrator)
    if hasattr(method, "check_integrator"):
        method.check_integrator(integrator)
    start = _start(initial, prior, particles, dim, seed, steps, record_every)
    _check_start(loss, start)
    return Problem(loss, prior, start, steps, step_size, seed, integrator, tolerance)


def _start(
    initial: Any, prior: Any, particles: int | None, dim: int, seed: int, steps: int, record_every: int | None
) -> np.ndarray:
    if particles is not None:
        particles = _whole("particles", particles, least=1, most=arguments.MOST_PARTICLES)
    if initial is None or hasattr(initial, "log_density"):
        source = prior if initial is None else parts.prior(initial, "initial")
        parts.same_dim("initial", source.dim, dim)
        number = 300 if particles is None else particles
        memory.check_run(number, dim, steps, record_every)
        start = source.sample(number, seed=seed)
    else:
        start = arguments.array("initial", initial, "a prior or an array (particles, dim)").copy()
        if start.ndim == 1 and dim == 1:
            start = start[:, None]
        if start.ndim != 2 or start.shape[1] != dim or start.shape[0] == 0:
            raise ValueError(f"initial has shape {start.shape}; (particles, {dim}) is allowed")
        if particles is not None and particles != start.shape[0]:
            raise ValueError(
                f"particles is {particles} but initial has {start.shape[0]} points; equal numbers are allowed"
            )
        memory.check_run(start.shape[0], dim, steps, record_every)
    if not np.all(np.isfinite(start)):
        raise ValueError("initial has a non-finite coordinate; finite numbers are allowed")
    outside = np.any((start < prior.low) | (start > prior.high), axis=1)
    if outside.any():
        particle = int(np.flatnonzero(outside)[0])
        raise ValueError(f"initial has particle {particle} at {start[particle]}, outside the prior's box")
    return np.ascontiguousarray(start, dtype=np.float64)


def _check_start(loss: Any, start: np.ndarray) -> None:
    """The loss and its gradient must be finite, and of the right shape, at every start."""
    with np.errstate(all="ignore"):
        for what, shape in (("value", start.shape[:1]), ("gradient", start.shape)):
            found = np.asarray(getattr(loss, what)(start))
            if found.shape != shape or found.dtype.kind not in "iuf":
                given = f"{found.dtype} of the shape {found.shape}"
                raise ValueError(f"the {what} of the loss is {given}; real numbers of the shape {shape} are allowed")
            good = np.isfinite(found).reshape(len(start), -1).all(axis=1)
            if not good.all():
                at = int(np.flatnonzero(~good)[0])
                what = "loss" if what == "value" else "gradient of the loss"
                raise ValueError(f"the {what} is {found[at]} at particle {at}'s start {start[at]}; it must be finite")
