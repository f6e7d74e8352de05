"""The average loss of the particles over time."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from particlegvi.plotting import reading, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import frame
from particlegvi.plotting.look import palette, say
from particlegvi.plotting.protocols import Results, Runs
from particlegvi.plotting.trajectories import scale_time, time_label


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
