"""Checking every argument of a simulation, and drawing its start, before anything is compiled or written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from particlegvi import integrators, schedules
from particlegvi.engine.noise import key_words
from particlegvi.methods.flow import Problem
from particlegvi.priors import Flat


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
    if not (hasattr(loss, "gradient") and hasattr(loss, "dim")):
        raise ValueError(f"loss is {loss!r}; a Loss, for example particlegvi.losses.get('double-well'), is allowed")
    if not hasattr(method, "flow") or isinstance(method, type):
        raise ValueError(f"method is {method!r}; an object such as particlegvi.methods.DLE(kl_weight=1.0) is allowed")
    dim = loss.dim
    prior = Flat(dim) if prior is None else prior
    if not hasattr(prior, "log_density"):
        raise ValueError(f"prior is {prior!r}; a prior such as particlegvi.priors.Normal(mean=0.0, sd=1.0) is allowed")
    if prior.dim != dim:
        raise ValueError(f"prior has {prior.dim} dimension(s) but the loss has {dim}; equal dimensions are allowed")
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
    key_words(seed)
    if not isinstance(integrator, str):
        raise ValueError(f"integrator is {integrator!r}; one of {', '.join(integrators.names())} is allowed")
    integrators.get(integrator)
    if hasattr(method, "check_integrator"):
        method.check_integrator(integrator)
    start = _start(initial, prior, particles, dim, seed)
    values = np.asarray(loss.value(start))
    if not np.all(np.isfinite(values)):
        worst = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"the loss is {values[worst]} at particle {worst}'s start {start[worst]}; it must be finite")
    return Problem(loss, prior, start, steps, step_size, seed, integrator, tolerance)


def _start(initial: Any, prior: Any, particles: int | None, dim: int, seed: int) -> np.ndarray:
    if particles is not None:
        particles = _whole("particles", particles, least=1)
    if initial is None or hasattr(initial, "sample"):
        source = prior if initial is None else initial
        if source.dim != dim:
            raise ValueError(
                f"initial has {source.dim} dimension(s) but the loss has {dim}; equal dimensions are allowed"
            )
        start = source.sample(300 if particles is None else particles, seed=seed)
    else:
        try:
            start = np.array(initial, dtype=np.float64, order="C")
        except (TypeError, ValueError):
            raise ValueError(f"initial is {initial!r}; a prior or an array (particles, dim) is allowed") from None
        if start.ndim == 1 and dim == 1:
            start = start[:, None].copy()
        if start.ndim != 2 or start.shape[1] != dim or start.shape[0] == 0:
            raise ValueError(f"initial has shape {start.shape}; (particles, {dim}) is allowed")
        if particles is not None and particles != start.shape[0]:
            raise ValueError(
                f"particles is {particles} but initial has {start.shape[0]} points; equal numbers are allowed"
            )
    if not np.all(np.isfinite(start)):
        raise ValueError("initial has a non-finite coordinate; finite numbers are allowed")
    outside = np.any((start < prior.low) | (start > prior.high), axis=1)
    if outside.any():
        particle = int(np.flatnonzero(outside)[0])
        raise ValueError(f"initial has particle {particle} at {start[particle]}, outside the prior's box")
    return np.ascontiguousarray(start, dtype=np.float64)


def _whole(key: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{key} is {value!r}; a whole number of {least} or more is allowed")
    return int(value)


def _positive(key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ValueError(f"{key} is {value!r}; a number above 0 is allowed")
    if not (math.isfinite(value) and value > 0.0):
        raise ValueError(f"{key} is {value!r}; a finite number above 0 is allowed")
    return float(value)
