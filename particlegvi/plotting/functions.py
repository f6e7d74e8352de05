"""Figure 6.1: posterior functions of every method over the data, and the distribution of f at one input.

The likelihood says which values of f the observations suggest (`levels`), and whether f and -f explain them as well
(`even`); then functions of the two signs have two colours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from particlegvi.contracts import Array, Facts
from particlegvi.plotting import curves, reading, rules, style
from particlegvi.plotting.curves import Follow
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import observations, slide
from particlegvi.plotting.look import localised, look, palette, say
from particlegvi.plotting.moving import MovingFigure, Show, clock_of
from particlegvi.plotting.plane import grid_of, panel_row
from particlegvi.plotting.protocols import FunctionRun, Interval, Results
from particlegvi.settings.colours import assigned

GRID, BINS = 301, 50
EXACT = 1e-5  # nats: a fit with a certificate up to this is drawn as the exact one
FROM_TRUTH = 0.04  # part of the width that is drawn beyond the data


@figure_kind(
    "functions",
    of=("function-space",),
    runs=reading.of_functions,
    moves=True,
    particles=rules.whole(1, 10_000),
    input=rules.number(),
    range=rules.interval,
    window=rules.interval,
)
def functions(
    results: Results,
    runs: Mapping[str, FunctionRun],
    *,
    particles: int = 40,
    input: float | None = None,
    truth: bool = True,
    range: Interval | None = None,
    window: Interval | None = None,
    targets: bool = False,
    guaranteed: bool = False,
) -> MovingFigure:
    """One panel per method: sampled functions, their mean and 95% band, the data and the true function.

    Where the likelihood does not tell f from -f there is no band, since the posterior has two halves: functions that
    are negative at ``input`` (where the most was observed, if it is not given) are orange and the others blue.

    Parameters
    ----------
    particles : int
        Most functions that are drawn.
    input : float, optional
        Where the distribution of f is drawn as a histogram, at the right of each panel; left out, there is none.
    truth : bool
        Whether the true function is drawn.
    range : (low, high), optional
        Range of f; chosen from the functions and the truth by default.
    window : (low, high), optional
        Range of x; by default the range of the data and a little more.
    targets : bool
        Whether the 95% band of a new observation is drawn as well. Then the band of f is that of 90%, and the share of
        the data at which it holds the truth is said.
    guaranteed : bool
        Whether the band is drawn within which the 95% band of the exact process is certified to lie, for methods that
        have a certificate, and beside it the 95% band of the method "GP", if it is there, or of a fit that is certified
        to be within 1e-5 nats of the exact one. The titles say half the
        width of the certified band, its median over the inputs.
    """
    first = next(iter(runs.values()))
    grid = grid_of_inputs(first, window)
    turning = float(first.problem.X[np.argmax(first.problem.y), 0]) if input is None else input
    view = View(grid, turning, input is not None, truth, targets, guaranteed, exact_of(results))
    drawn = {label: curves.evenly(run.sample(grid), particles) for label, run in runs.items()}
    own = look().vertical_axis == "own" and range is None
    limits = {label: range or common_limits(first, grid, {label: drawn[label]} if own else drawn) for label in runs}
    colours, follows = colours_of(results), {}
    every = 2 if view.has_side else 1
    rows, columns = panel_row(len(runs), 11.0 * every)
    widths = [3.2, 1.0] * columns if view.has_side else [1.0] * columns
    facts, every_one = observations(runs, functions=True), len(first.final)
    if particles < every_one:
        facts[1] = say("functions_drawn", count=localised(f"{particles:,}"), all=localised(f"{every_one:,}"))
    note = say("counted_at_data") if targets and look().is_slide else ""  # else the titles say it
    with slide(results, rows, note=note, clock=clock_of(runs).at(-1), facts=facts) as figure:
        panels = grid_of(figure, (rows, len(widths)), every * len(runs), sharey=not own, widths=widths)
        for place, (label, run) in enumerate(runs.items()):
            axes, colour = panels[every * place], colours[label]
            follows[label] = [draw_panel(axes, label, run, drawn[label], colour, view)]
            write_title(axes, label, run, colour, view, reading.facts_of(results, label).get("bands", {}).get("data"))
            lowest = place >= len(runs) - columns or not look().is_slide
            axes.set_xlabel("x" if lowest else "")
            axes.tick_params(labelbottom=lowest)
            axes.set_ylabel(say("function") if place % columns == 0 else "")
            axes.set_ylim(*limits[label])
            if run.problem.likelihood.convex and len(run.steps) == 1:
                curves.mark_beyond(axes, run, grid, colour)
            if view.has_side:
                side = panels[every * place + 1]
                follows[label].append(draw_distribution(side, run, turning, limits[label], colour, truth))
                side.set_ylim(*limits[label])
    shows = {label: showing(run, follows[label]) for label, run in runs.items()}
    return MovingFigure(figure, runs, shows, figure.clock)


class View(NamedTuple):
    """The parts of its panels that a figure of functions has."""

    grid: Array  # inputs
    turning: float  # the input at which functions have a sign, and whose distribution is drawn
    has_side: bool  # whether that distribution is drawn
    truth: bool
    targets: bool
    guaranteed: bool
    exact: FunctionRun | None  # the exact process


def grid_of_inputs(run: FunctionRun, window: Interval | None) -> Array:
    """Inputs over the window, or by default over the data and a little more."""
    X = run.problem.X[:, 0]
    low, high = run.data.window or (X.min(), X.max())
    margin = FROM_TRUTH * (high - low or 1.0)
    left, right = window or (low - margin, high + margin)
    return np.linspace(left, right, GRID)


def draw_panel(axes: Axes, label: str, run: FunctionRun, drawn: Array, colour: str, view: View) -> Follow:
    """The functions of a method, with the truth, the data and its bands."""
    follow = curves.draw_functions(axes, run, view.grid, drawn, colour, view.turning, counted=view.targets)
    if view.truth and run.data.truth is not None:
        draw_truth(axes, run, view.grid)
    if view.guaranteed:
        curves.draw_guarantee(axes, run, view.exact, view.grid, colour)
    if run.problem.observed is None:
        curves.draw_data(axes, run, faint=view.targets or view.guaranteed)
    else:
        curves.draw_functionals(axes, run, view.grid[-1] - view.grid[0])
    if view.targets:
        curves.draw_target_band(axes, run, view.grid, colour)
    if view.has_side:
        axes.axvline(view.turning, color=palette().words, linestyle=":", linewidth=1.5)
    axes.set_xlim(view.grid[0], view.grid[-1])
    axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    return follow


def write_title(axes: Axes, label: str, run: FunctionRun, colour: str, view: View, covered: Facts | None) -> None:
    """The name of a method, the share of the data at which its band holds f, and the reach of its certified band.

    Without a certified band its KL to the exact process is said, where a run was asked to ``compare``.
    """
    name = style.shown_name(label)
    name = name if run.method.name in label else f"{name} ({run.method.name})"
    distance = run.info.get("exact", {}).get("kl")
    share = say("covered", share=localised(f"{covered['covered']:.0%}")) if view.targets and covered else ""
    reach = curves.guaranteed_reach(run, view.grid) if view.guaranteed else ""
    nats = "∞" if distance == "infinity" else localised(f"{distance or 0.0:.2g} nats")
    far = "" if view.guaranteed or distance is None else say("kl_to_exact", kl=nats)
    lines = list(filter(None, [name, share, reach, far]))
    shade = palette().words if run.problem.likelihood.even else style.lettering(colour)
    axes.set_title(lines[0] if look().is_slide else "\n".join(lines), fontweight="bold", color=shade)
    if look().is_slide and look().note and lines[1:]:
        style.note_above(axes, *lines[1:])


def showing(run: FunctionRun, follows: Sequence[Follow]) -> Show:
    """Move the panels to a record of a run; a fit in closed form has one record, so that nothing moves."""

    def show(record: int) -> None:
        if len(run.steps) > 1:
            then = run.at(record)
            for follow in follows:
                follow(then)

    return show


def exact_of(results: Results) -> FunctionRun | None:
    """The exact posterior among the fits, where it is one of them: GP, or a fit that is certified to be as good."""
    runs = [run for run in reading.named_runs(results, None).values() if isinstance(run, FunctionRun)]
    certified = [run for run in runs if run.info.get("certificate", {}).get("total", math.inf) <= EXACT]
    return next((run for run in runs if run.method.name == "GP"), certified[0] if certified else None)


def colours_of(results: Results) -> dict[str, str]:
    """The colour of each fit by its model, or that which the look gives its label."""
    return assigned({label: run.method.name for label, run in results.items()}, look().palette, look().colours)


def common_limits(run: FunctionRun, grid: Array, drawn: Mapping[str, Array]) -> Interval:
    """An interval that fits the functions, the truth and the data of every panel."""
    samples = [np.ravel(each) for each in drawn.values()]
    if run.data.truth is not None:
        samples.append(run.data.value(grid[:, None]))
    low, high = reading.fitting_range(samples)
    seen = curves.levels_of(run)  # all are shown, however far from the functions
    margin = 0.05 * (high - low)
    low, high = min([low, *(seen - margin)]), max([high, *(seen + margin)])
    return (-max(-low, high), max(-low, high)) if run.problem.likelihood.even else (low, high)


def draw_truth(axes: Axes, run: FunctionRun, grid: Array) -> None:
    """Draw the true function, and its mirror image where that explains the data as well."""
    f = run.data.value(grid[:, None])
    drawn: dict[str, Any] = {"color": palette().ink, "linestyle": "--", "linewidth": 1.8}
    if run.problem.likelihood.even:
        style.outlined(axes.plot(grid, -f, **drawn)[0])
        drawn["label"] = say("truth_of_both_signs")
    style.outlined(axes.plot(grid, f, **{"label": say("truth"), **drawn})[0])


def draw_distribution(axes: Axes, run: FunctionRun, place: float, limits: Interval, colour: str, truth: bool) -> Follow:
    """Draw a histogram of f at one input that lies on its side, with the true values."""
    edges = np.linspace(*limits, BINS + 1)

    def heights(then: FunctionRun) -> Array:
        return np.histogram(then.sample(np.array([place]))[:, 0], bins=edges, density=True)[0]

    counts = heights(run)
    middles = 0.5 * (edges[:-1] + edges[1:])
    two = run.problem.likelihood.even
    shades = [palette().signs[int(middle < 0.0)] if two else colour for middle in middles]
    bars = axes.barh(middles, counts, height=edges[1] - edges[0], color=shades, alpha=0.75, linewidth=0.0)
    axes.set_xlabel(say("density_of_f"))
    axes.set_title(say("at_input", x=localised(f"{place:.4g}")), color=palette().words)
    axes.xaxis.set_major_locator(MaxNLocator(2))
    axes.set_xlim(0.0, 1.08 * (counts.max() or 1.0))
    axes.tick_params(labelleft=False, labelbottom=not look().is_slide)  # so narrow, it has no room for numbers
    if truth and run.data.truth is not None:
        level = float(run.data.value(np.array([[place]]))[0])
        for value in {level, -level} if two else {level}:  # -f explains the data as well
            axes.axhline(value, color=palette().ink, linestyle="--", linewidth=1.5)

    def follow(then: FunctionRun) -> None:
        for bar, width in zip(bars, heights(then), strict=True):
            bar.set_width(width)

    return follow
