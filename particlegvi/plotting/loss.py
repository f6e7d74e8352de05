"""The average loss of the particles over time, and the axis of the time."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from particlegvi.integrators.schedules import Schedule
from particlegvi.plotting import reading, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import frame
from particlegvi.plotting.look import palette, say
from particlegvi.plotting.protocols import ParticleRun, Results, Runs
from particlegvi.plotting.rules import choice

SCALE = choice("linear", "log")  # the check of an option that is the scale of the time


@figure_kind("loss", runs=reading.chosen_runs)
def loss(results: Results, runs: Runs) -> Figure:
    """Average loss over time, one line per method."""
    colours = style.colours(results)
    with frame(results, runs=runs, note=say("average_loss_over_time")) as (figure, [axes]):
        for place, (label, run) in enumerate(runs.items()):
            with np.errstate(all="ignore"):  # a run that diverged has records without an average
                average = np.asarray(run.average_loss(), dtype=np.float64)
            # Each line is thinner than the one below, so that lines that coincide are both seen.
            axes.plot(run.times, average, color=colours[label], linewidth=max(1.4, 3.6 - 0.7 * place),
                      label=style.method_label(label, run),
                      linestyle=style.DASHES[place % len(style.DASHES)] if palette().patterned else "-")  # fmt: skip
        axes.set(xlabel=time_label(runs.values()), ylabel=say("average_loss"))
        scale_time(axes, runs.values(), "log")
    return figure


def time_label(runs: Iterable[ParticleRun] = ()) -> str:
    """Time is dimensionless: the number of steps times the step size, or on a schedule the sum of the step sizes."""
    on_schedule = any(isinstance(run.step_size, Schedule) for run in runs)
    return say("time_of_schedule" if on_schedule else "time_of_steps")


def scale_time(axes: Axes, runs: Iterable[ParticleRun], scale: str) -> None:
    """Set the limits and the scale of a time axis that all of ``runs`` share.

    A logarithmic axis is linear up to the first record after the start, so that the start, at time 0, stays visible.
    """
    runs = list(runs)
    end = max(float(run.times[-1]) for run in runs)
    later = [float(run.times[1]) for run in runs if len(run.times) > 1]
    first = min(later, default=end)
    if scale == "log" and 0.0 < first < end:
        axes.set_xscale("symlog", linthresh=first, linscale=0.5)
        axes.set_xlim(0.0, end)
        powers = np.arange(np.ceil(np.log10(first) - 1e-9), np.floor(np.log10(end) + 1e-9) + 1)
        axes.set_xticks([0.0, *(10.0**powers)])
        axes.xaxis.set_minor_locator(LogLocator(subs=[2, 3, 4, 5, 6, 7, 8, 9], numticks=50))
        axes.xaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_xlim(0.0, end if end > 0 else 1.0)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 5, 10]))
