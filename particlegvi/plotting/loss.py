"""The average loss of the particles over time, and the average loss of the truth it should reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from particlegvi.plotting import reading, style
from particlegvi.plotting.expectation import expected_loss
from particlegvi.plotting.heading import heading
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.legend import legend_below
from particlegvi.plotting.timing import scale_time, time_label


@figure_kind("loss")
def loss(
    results: Any, *, methods: Sequence[str] | None = None, time: str = "log", truth: bool = True
) -> Figure:
    """Average loss over time, one line per method; dashed, the average loss under the truth of that method.

    Parameters
    ----------
    results : Results
        Runs in any dimension.
    methods : sequence of str, optional
        Which methods, in which order; all by default.
    time : {"log", "linear", "auto"}
        Scale of the time axis; the logarithmic one is linear up to the first record, so that the start stays visible.
    truth : bool
        Whether the dashed lines are drawn.
    """
    runs = reading.chosen_runs(results, methods)
    colours = style.colours(results)
    with style.slide_style():
        figure = style.new_slide()
        axes = figure.subplots()
        for position, (label, run) in enumerate(runs.items()):
            target = reading.target_of(results, label) if truth else None
            # Each line is thinner than the one below, so that lines that coincide are both seen.
            width = max(1.4, 3.6 - 0.7 * position)
            draw_loss(axes, style.method_label(label, run), run, target, colours[label], width)
        name_dashes(axes)
        scale_time(axes, runs.values(), time)
        legend_below(figure)
        heading(figure, results.scenario, runs, "average loss over time")
    return figure


def draw_loss(axes: Axes, name: str, run: Any, target: Any, colour: str, width: float) -> None:
    """The line of one method, and the dashed one of its truth."""
    with np.errstate(all="ignore"):  # a run that diverged has records without an average
        average = np.asarray(run.average_loss(), dtype=np.float64)
    axes.plot(np.asarray(run.times), average, color=colour, linewidth=width, label=name)
    expected = expected_loss(run.loss, target)
    if expected is not None:
        axes.axhline(expected, color=colour, linestyle=(0, (4, 1.5)), linewidth=0.7 * width, gid=f"truth of {name}")
    axes.set_xlabel(time_label([run]))
    axes.set_ylabel(r"average of $\ell(\theta)$ over the particles")


def name_dashes(axes: Axes) -> None:
    """Say in the legend what the dashed lines are, where there are any."""
    if any(str(line.get_gid()).startswith("truth of") for line in axes.lines):
        dashes = (0, (4, 1.5))
        axes.plot([], [], color=style.BLACK, linestyle=dashes, linewidth=1.8, label="average loss under the truth")
