"""The time axis: linear, or logarithmic from the first record on, whichever shows more of the way."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from particlegvi.integrators.schedules import Schedule
from particlegvi.plotting.look import say
from particlegvi.plotting.protocols import ParticleRun
from particlegvi.plotting.rules import choice

SCALE = choice("auto", "linear", "log")  # the check of an option that is the scale of the time


def time_label(runs: Iterable[ParticleRun] = ()) -> str:
    """Time is dimensionless: the number of steps times the step size, or on a schedule the sum of the step sizes."""
    on_schedule = any(isinstance(run.step_size, Schedule) for run in runs)
    return say("time_of_schedule" if on_schedule else "time_of_steps")


def scale_time(axes: Axes, runs: Iterable[ParticleRun], scale: str = "auto") -> None:
    """Set the limits and the scale of a time axis that all of ``runs`` share.

    A logarithmic axis is linear up to the first record after the start, so that the start, at time 0, stays visible.
    """
    runs = list(runs)
    end = max(float(run.times[-1]) for run in runs)
    later = [float(run.times[1]) for run in runs if len(run.times) > 1]
    first = min(later, default=end)
    wants_log = scale == "log" or (scale == "auto" and _early(runs, first, end))
    if wants_log and 0.0 < first < end:
        axes.set_xscale("symlog", linthresh=first, linscale=0.5)
        axes.set_xlim(0.0, end)
        powers = np.arange(np.ceil(np.log10(first) - 1e-9), np.floor(np.log10(end) + 1e-9) + 1)
        axes.set_xticks([0.0, *(10.0**powers)])
        axes.xaxis.set_minor_locator(LogLocator(subs=[2, 3, 4, 5, 6, 7, 8, 9], numticks=50))
        axes.xaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_xlim(0.0, end if end > 0 else 1.0)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 5, 10]))


def _early(runs: list[ParticleRun], first: float, end: float) -> bool:
    """Whether most of the way is over in the first tenth, with enough records in it to show that."""
    if not first <= end / 20.0:
        return False
    arrivals = []
    for run in runs:
        some = np.asarray(run.positions[:, :500])
        some = some[:, np.isfinite(some).all(axis=(0, 2))]
        if not some.size:
            continue
        middle = np.mean(np.abs(some - some[-1]), axis=(1, 2))
        if middle[0] > 0:
            arrivals.append(float(run.times[int(np.argmax(middle <= 0.1 * middle[0]))]))
    return bool(arrivals) and float(np.median(arrivals)) < end / 10.0
