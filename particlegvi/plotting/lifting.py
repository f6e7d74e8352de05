"""Figure 2.2: the loss above, and below it the minimiser Q* that gathers where the loss is low."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from particlegvi.contracts import Array
from particlegvi.plotting import histograms, reading, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import slide
from particlegvi.plotting.look import look, palette, say
from particlegvi.plotting.moving import MovingFigure, Show, clock_of, together
from particlegvi.plotting.protocols import Interval, ParticleRun, Results, Runs


@figure_kind("lifting", runs=reading.chosen_runs, dim=1, moves=True)
def lifting(results: Results, runs: Runs) -> MovingFigure:
    """The loss with its global minimisers above; below it Q*, the final particles and, faintly, the prior."""
    shows: dict[str, Show] = {}
    colours = style.colours(results)
    limits = histograms.common_range(runs, results.targets)
    note = histograms.meaning_of_brackets(results, runs)
    with slide(results, 2, runs, note, clock_of(runs).at(-1)) as figure:
        panels = figure.subplots(2, len(runs), sharex=True, squeeze=False, height_ratios=[1.0, 1.15])
        for column, (label, run) in enumerate(runs.items()):
            above, below = panels[:, column]
            target, facts = results.targets.get(label), reading.facts_of(results, label)
            follow = histograms.draw_panel(below, run, target, colours[label], limits, bins=48)
            minimisers = draw_loss(above, run, limits)
            draw_prior(below, run, limits)
            for place in minimisers:
                for axes in (above, below):
                    axes.axvline(place, color=palette().ink, linestyle=":", linewidth=1.3, zorder=0.5)
            style.panel_title(above, label, run, colours[label])
            shows[label] = together(follow, histograms.write_note(above, run, target, facts, limits))
            below.set_ylim(0.0, below.dataLim.y1 * histograms.HEADROOM)
            below.yaxis.set_major_locator(MaxNLocator(nbins=5))
        if look().vertical_axis == "shared":
            top = max(axes.get_ylim()[1] for axes in panels[1])
            for axes in panels[1]:
                axes.set_ylim(0.0, top)
        for axes in panels[:, 1:].ravel():
            axes.set_ylabel("")
        figure.align_ylabels()
    return MovingFigure(figure, runs, shows, figure.clock)


def draw_loss(axes: Axes, run: ParticleRun, limits: Interval) -> Array:
    """Draw the loss and its global minimisers. Returns these."""
    grid = np.linspace(*limits, 4001)
    values = reading.loss_values(run.loss, grid[:, None])
    minimisers = reading.global_minimisers(run.loss, limits)
    places = reading.final_particles(run)
    top = reading.loss_ceiling(values, reading.loss_values(run.loss, places))
    if not np.any(np.isfinite(values)):
        raise ValueError("the loss is not finite where the particles are, which have run away")
    bottom = float(np.min(values[np.isfinite(values)]))
    axes.plot(grid, values, color=palette().ink, linewidth=2.2, label=say("loss", function=style.FUNCTION))
    lowest = reading.loss_values(run.loss, minimisers[:, None])
    histograms.draw_minimisers(axes, minimisers, lowest, 9, 4)
    axes.set_ylim(bottom - 0.08 * (top - bottom), top + 0.05 * (top - bottom))
    axes.set_ylabel(say("loss", function=style.FUNCTION))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4))
    return minimisers


def draw_prior(axes: Axes, run: ParticleRun, limits: Interval) -> None:
    """The prior's density as a thin grey line; an improper one has none."""
    grid = np.linspace(*limits, 1201)
    density = np.exp(np.asarray(run.prior.log_density(grid[:, None]), dtype=np.float64).ravel())
    if run.prior.name == "flat" or not np.all(np.isfinite(density)):
        return
    axes.plot(grid, density, color=palette().faint, linewidth=1.8, label=say("prior"))
