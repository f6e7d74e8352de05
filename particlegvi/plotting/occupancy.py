"""The share of particles on one side of a point over time: which method forgets its start, and how fast."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from particlegvi.contracts import Target
from particlegvi.plotting import reading, rules, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import frame
from particlegvi.plotting.look import number, palette, say
from particlegvi.plotting.loss import SCALE, scale_time, time_label
from particlegvi.plotting.protocols import Results, Runs, is_atoms, is_density

CELLS = 20_000  # cells of equal mass of a truth with a density


@figure_kind("occupancy", runs=reading.on_the_line, below=rules.number(), relaxation_time=rules.number(above=0.0),
             time=SCALE)  # fmt: skip
def occupancy(
    results: Results, runs: Runs, *, below: float = 0.0, relaxation_time: float | None = None, time: str = "auto"
) -> Figure:
    """Share of the particles below a point at every record; dashed, the mass of each method's truth there.

    Parameters
    ----------
    below : float
        The point: the top between two minima of the loss, for example.
    relaxation_time : float, optional
        A time r. The dotted curve of each method whose truth has a density is truth + (start - truth) exp(-t/r), the
        law of particles that cross one barrier.
    time : {"auto", "linear", "log"}
        Scale of the time axis; "auto" takes log where most of the way is over in the first tenth.
    """
    colours = style.colours(results)
    with frame(results, runs=runs) as (figure, [axes]):
        for place, (label, run) in enumerate(runs.items()):
            times, target = np.asarray(run.times), results.targets.get(label)
            shares = np.mean(np.asarray(run.positions)[:, :, 0] < below, axis=1)
            axes.plot(times, shares, color=colours[label], linewidth=2.4, label=style.method_label(label, run),
                      linestyle=style.DASHES[place % len(style.DASHES)] if palette().patterned else "-")  # fmt: skip
            truth = mass_below(target, below)
            if truth is None:
                continue
            axes.axhline(truth, color=colours[label], linestyle=(0, (4, 1.5)), linewidth=1.6, gid=f"truth of {label}")
            if relaxation_time is not None and is_density(target):
                grid = np.linspace(times[0], times[-1], 400)
                law = truth + (shares[0] - truth) * np.exp(-(grid - times[0]) / relaxation_time)
                axes.plot(grid, law, color=palette().ink, linestyle=":", linewidth=1.8, label=say("law_of_crossing"))
        axes.plot([], [], color=palette().ink, linestyle=(0, (4, 1.5)), linewidth=1.6, label=say("truth"))
        scale_time(axes, runs.values(), time)
        axes.set(xlabel=time_label(runs.values()), ylabel=say("share_below", place=number(f"{below:g}")))
        axes.set_ylim(0.0, 1.0)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    return figure


def mass_below(target: Target | None, place: float) -> float | None:
    """The mass of a target on the line below a point; None where there is no target."""
    if is_atoms(target):
        return float(np.sum(np.asarray(target.weights)[np.asarray(target.atoms)[:, 0] < place]))
    if not is_density(target):
        return None
    cells = np.asarray(target.quantile((np.arange(CELLS) + 0.5) / CELLS))
    return float(np.mean(cells < place))
