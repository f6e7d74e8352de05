"""The average loss of the particles over time, and the average loss under the target, which it should reach."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from particlegvi.contracts import Loss, Target
from particlegvi.integrators.schedules import Schedule
from particlegvi.plotting import reading, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import frame
from particlegvi.plotting.look import palette, say
from particlegvi.plotting.protocols import HasDensity, Interval, ParticleRun, Results, Runs, is_atoms, is_density
from particlegvi.plotting.rules import choice

SCALE = choice("linear", "log")  # the check of an option that is the scale of the time


@figure_kind("loss", runs=reading.chosen_runs, time=SCALE)
def loss(results: Results, runs: Runs, *, time: str = "log", truth: bool = True) -> Figure:
    """Average loss over time, one line per method; dashed, the average loss under the truth of that method.

    Parameters
    ----------
    time : {"log", "linear"}
        Scale of the time axis; the logarithmic one is linear up to the first record, so that the start stays visible.
    truth : bool
        Whether the dashed lines are drawn.
    """
    colours = style.colours(results)
    with frame(results, runs=runs, note=say("average_loss_over_time")) as (figure, [axes]):
        for position, (label, run) in enumerate(runs.items()):
            target = results.targets.get(label) if truth else None
            # Each line is thinner than the one below, so that lines that coincide are both seen.
            width = max(1.4, 3.6 - 0.7 * position)
            lines = draw_loss(axes, style.method_label(label, run), run, target, colours[label], width)
            if palette().patterned:
                lines[0].set_linestyle(style.DASHES[position % len(style.DASHES)])
        name_dashes(axes)
        scale_time(axes, runs.values(), time)
    return figure


def draw_loss(
    axes: Axes, name: str, run: ParticleRun, target: Target | None, colour: str, width: float
) -> list[Line2D]:
    """The line of one method, and the dashed one of its truth."""
    with np.errstate(all="ignore"):  # a run that diverged has records without an average
        average = np.asarray(run.average_loss(), dtype=np.float64)
    lines = axes.plot(np.asarray(run.times), average, color=colour, linewidth=width, label=name)
    expected = expected_loss(run.loss, target)
    if expected is not None:
        axes.axhline(expected, color=colour, linestyle=(0, (4, 1.5)), linewidth=0.7 * width, gid=f"truth of {name}")
    axes.set_xlabel(time_label([run]))
    axes.set_ylabel(say("average_loss"))
    return lines


def name_dashes(axes: Axes) -> None:
    """Name the dashed lines in the legend, where there are any."""
    if any(str(line.get_gid()).startswith("truth of") for line in axes.lines):
        dashes = (0, (4, 1.5))
        axes.plot([], [], color=palette().ink, linestyle=dashes, linewidth=1.8, label=say("average_loss_of_truth"))


def expected_loss(loss: Loss, target: Target | None) -> float | None:
    """The average loss under the target, to which the average loss of the particles should go; None if not known."""
    if is_atoms(target):
        return float(np.dot(target.weights, reading.loss_values(loss, np.asarray(target.atoms))))
    if not is_density(target):
        return None
    if target.dim == 1:
        # Equal shares of the mass: this finds every mode, also when there are two thousand of them.
        shares = (np.arange(40_000) + 0.5) / 40_000
        points = np.asarray(target.quantile(shares)).reshape(-1, 1)
        return float(np.mean(reading.loss_values(loss, points)))
    if target.dim != 2:
        return None
    points, density = reading.density_grid(target, *density_box(target), size=321)[2:]
    mass = density.ravel()
    known = np.isfinite(mass) & (mass > 0.0)
    return float(np.sum(reading.loss_values(loss, points[known]) * mass[known]) / np.sum(mass[known]))


def density_box(target: HasDensity) -> tuple[Interval, Interval]:
    """A box of six standard deviations around the mean of a density in 2-D."""
    centre = np.broadcast_to(np.asarray(target.mean, dtype=np.float64), (2,))
    variance = np.asarray(target.variance, dtype=np.float64)
    spread = 6.0 * np.sqrt(np.diag(variance) if variance.ndim == 2 else np.broadcast_to(variance, (2,)))
    return (
        (float(centre[0] - spread[0]), float(centre[0] + spread[0])),
        (float(centre[1] - spread[1]), float(centre[1] + spread[1])),
    )


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
