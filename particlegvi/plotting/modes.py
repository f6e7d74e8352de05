"""Figures of the particles at modes: the number of modes that are covered, and the share below a point over time."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from particlegvi import diagnostics
from particlegvi.contracts import Target
from particlegvi.plotting import reading, rules, style
from particlegvi.plotting.atoms import bar_look
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import frame, slide
from particlegvi.plotting.look import localised, look, palette, say
from particlegvi.plotting.plane import grid_of, panel_grid
from particlegvi.plotting.protocols import Results, Runs, is_atoms, is_density
from particlegvi.plotting.trajectories import SCALE, scale_time, time_label
from particlegvi.settings.colours import darker

CELLS = 20_000  # cells of equal mass of a truth with a density


@figure_kind("coverage", runs=reading.chosen_runs)
def coverage(results: Results, runs: Runs) -> Figure:
    """One panel per method: the share of replicates that cover each number of modes, and the mean with its interval."""
    for label, run in runs.items():
        if "replicates" not in run.info:
            raise ValueError(f"this kind of figure draws replicates, and {label} has none: set replicates and modes")
    colours = style.colours(results)
    modes = len(results.scenario["modes"])
    rows, columns = panel_grid(len(runs))
    replicates = next(iter(runs.values())).info["replicates"]["number"]
    with slide(results, rows, runs, say("number_of_replicates", count=localised(f"{replicates}"))) as figure:
        panels = grid_of(figure, (rows, columns), len(runs), columns, sharex=True, sharey=True)
        for position, (label, run) in enumerate(runs.items()):
            axes, facts = panels[position], run.info["replicates"]
            shares = np.bincount(facts["modes_covered"], minlength=modes + 1) / facts["number"]
            axes.bar(
                np.arange(modes + 1),
                shares,
                0.8,
                color=colours[label],
                gid="shares",
                **bar_look(),
            )
            axes.fill([], [], color=palette().particles, alpha=0.62, label=say("replicates"))  # of every colour
            mean, low, high = facts["mean_modes_covered"]
            axes.plot([low, high], [0.96, 0.96], color=palette().ink, linewidth=6.0, solid_capstyle="butt")
            axes.axvline(mean, color=palette().ink, label=say("interval"), gid="mean")
            most = diagnostics.independent_coverage(run.positions.shape[1], modes)
            axes.axvline(
                most,
                color=palette().ink,
                linestyle=(0, (1, 1.2)),
                label=say("most_covered", number=localised(f"{most:.3g}")),
                gid="independent",
            )
            # If all replicates agree, the interval is a point, which does not tell how rare another number is.
            interval = say("in_each", count=facts["number"])
            if high > low:
                interval = say("interval_of_mean", low=localised(f"{low:.2f}"), high=localised(f"{high:.2f}"))
            words = say("mean_covered", mean=localised(f"{mean:.2f}"), modes=modes)
            style.panel_title(axes, label, run, colours[label])
            if look().note:
                style.note_above(axes, f"{words} {interval}" if look().is_slide else f"{words}\n{interval}")
            axes.set_xlabel(say("modes_covered"))
        panels[0].set_xlim(-0.6, modes + 0.6)
        panels[0].set_xticks(range(modes + 1) if modes <= 10 else np.linspace(0, modes, 6).round())
        panels[0].set_ylim(0.0, 1.0)
        panels[0].set_yticks(np.linspace(0.0, 1.0, 6))
        panels[0].yaxis.set_major_formatter(PercentFormatter(1.0))
        panels[0].set_ylabel(say("share_of_replicates"))
    return figure


@figure_kind("occupancy", runs=reading.chosen_runs, dim=1, relaxation_time=rules.number(above=0.0), time=SCALE)
def occupancy(results: Results, runs: Runs, *, relaxation_time: float | None = None, time: str = "log") -> Figure:
    """Share of the particles below 0 at every record; dashed, the mass of each method's truth there.

    Parameters
    ----------
    relaxation_time : float, optional
        A time r. The dotted curve of each method whose truth has a density is truth + (start - truth) exp(-t/r), the
        law of particles that cross one barrier.
    time : {"log", "linear"}
        Scale of the time axis; the logarithmic one is linear up to the first record, so that the start stays visible.
    """
    colours = style.colours(results)
    with frame(results, runs=runs) as (figure, [axes]):
        for place, (label, run) in enumerate(runs.items()):
            times, target = np.asarray(run.times), results.targets.get(label)
            shares = np.mean(np.asarray(run.positions)[:, :, 0] < 0.0, axis=1)
            axes.plot(times, shares, color=colours[label], linewidth=2.4, label=style.method_label(label, run),
                      linestyle=style.DASHES[place % len(style.DASHES)] if palette().patterned else "-")  # fmt: skip
            truth = mass_below(target, 0.0)
            if truth is None:
                continue
            # in front of the curve, and darker: DE keeps the share that is its truth
            axes.axhline(truth, color=darker(colours[label]), linestyle=(0, (4, 1.5)), linewidth=1.6, zorder=3,
                         gid=f"truth of {label}")  # fmt: skip
            if relaxation_time is not None and is_density(target):
                grid = np.linspace(times[0], times[-1], 400)
                law = truth + (shares[0] - truth) * np.exp(-(grid - times[0]) / relaxation_time)
                axes.plot(grid, law, color=palette().ink, linestyle=":", linewidth=1.8, label=say("law_of_crossing"))
        axes.plot([], [], color=palette().ink, linestyle=(0, (4, 1.5)), linewidth=1.6, label=say("truth"))
        scale_time(axes, runs.values(), time)
        axes.set(xlabel=time_label(runs.values()), ylabel=say("share_below", place=localised("0")))
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
