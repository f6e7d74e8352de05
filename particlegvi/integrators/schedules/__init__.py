"""Step-size schedules: the step size as a function of the step number, found by its ``name``.

Wherever a step size is asked for, a number, a schedule or the table that stands for one in a scenario may be given:

    step_size = 0.01
    step_size = {schedule = "polynomial", initial = 0.01, delay = 1000, power = 0.6}

A step size depends on the number of its step and on nothing else, so that neither chunks nor a restart can change it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from particlegvi.integrators.schedules.shapes import Constant, Cosine, Geometric, Linear, Polynomial, Schedule
from particlegvi.tools import arguments
from particlegvi.tools.quoting import POSITIVE
from particlegvi.tools.registry import Registry

__all__ = [
    "Constant", "Cosine", "Geometric", "Linear", "Polynomial", "Schedule", "get", "largest", "names", "register",
    "plain", "shown", "step_size_from", "times",
]  # fmt: skip

_registry: Registry[type[Schedule]] = Registry(__name__, "schedule")
names, get, register = _registry.names, _registry.make, _registry.register
BLOCK = 65_536  # steps whose sizes are summed at a time
SAMPLES = 10_001


def step_size_from(step_size: object) -> float | Schedule:
    """Check a step size: a number above 0, or a schedule, which may be given as its table."""
    if isinstance(step_size, Mapping):
        if "schedule" not in step_size:
            raise ValueError(f"step_size must have the key schedule if it is a table, one of {', '.join(names())}")
        step_size = get(**{("name" if key == "schedule" else key): value for key, value in step_size.items()})
    if isinstance(step_size, Schedule):
        return step_size.initial if isinstance(step_size, Constant) else step_size
    number = arguments.real("step_size", step_size, f"{POSITIVE}, or a schedule")
    if not number > 0.0:
        raise arguments.refuse("step_size", step_size, f"{POSITIVE}, or a schedule")
    return number


def largest(step_size: float | Schedule, steps: int) -> float:
    """The largest of the first ``steps`` step sizes; a ValueError unless all are finite numbers above 0.

    In a long run it looks at 10,001 steps, the ends included.
    """
    steps, step_size = arguments.whole("steps", steps), step_size_from(step_size)
    if not isinstance(step_size, Schedule):
        return step_size
    looked_at = np.unique(np.linspace(0, max(steps - 1, 0), SAMPLES).astype(np.int64))
    with np.errstate(all="ignore"):
        sizes = step_size.at(looked_at)
    bad = np.flatnonzero(~(np.isfinite(sizes) & (sizes > 0.0)))
    if bad.size:
        where = f"{sizes[bad[0]]:g} at step {looked_at[bad[0]]}"
        raise ValueError(f"step_size must be positive finite numbers, not {where}, as {step_size} is")
    return float(sizes.max())


def times(step_size: float | Schedule, steps: np.ndarray) -> np.ndarray:
    """Times at which so many ``steps`` (ascending, (records,)) are done: sums of the step sizes before."""
    steps, step_size = _numbers(steps), step_size_from(step_size)
    if not isinstance(step_size, Schedule):
        with np.errstate(over="ignore"):
            return steps * step_size
    elapsed = np.zeros(len(steps))
    total, done = 0.0, 0
    for record, step in enumerate(steps):
        while done < step:
            until = min(int(step), done + BLOCK)
            total += float(step_size.at(np.arange(done, until)).sum())
            done = until
        elapsed[record] = total
    return elapsed


def _numbers(steps: np.ndarray) -> np.ndarray:
    allowed = f"an array (records,) of ascending whole numbers of at most {arguments.MOST_WHOLE}"
    numbers = arguments.array("steps", steps, allowed)
    whole = (numbers >= 0) & (numbers <= arguments.MOST_WHOLE) & (numbers == np.floor(numbers))
    if numbers.ndim != 1 or not np.all(whole) or np.any(np.diff(numbers) < 0):
        raise arguments.refuse("steps", steps, allowed)
    return numbers.astype(np.int64)


def shown(step_size: object) -> str:
    """A step size in a few words, for tables and headings."""
    step_size = step_size_from(step_size)
    return str(step_size) if isinstance(step_size, Schedule) else f"{step_size:g}"


def plain(step_size: float | Schedule) -> float | dict[str, Any]:
    """Plain data for a step size: the number itself, or the table that stands for the schedule in a scenario."""
    step_size = step_size_from(step_size)
    return step_size.table() if isinstance(step_size, Schedule) else step_size
