"""Figure 6.1: posterior functions of every method over the data, and the distribution of f at one input.

The likelihood says which values of f the observations suggest (`levels`), and whether f and -f explain them as well
(`even`); then functions of the two signs have two colours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from particlegvi.contracts import Array
from particlegvi.plotting import curves, reading, rules, style
from particlegvi.plotting.curves import Follow
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import observations, slide
from particlegvi.plotting.look import look, number, palette, say
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
        Whether the 95% band of a new observation is drawn as well, and the share of the data at which the 90% band of f
        holds the truth is said.
    guaranteed : bool
        Whether the band is drawn within which the 95% band of the exact process is certified to lie, for methods that
        have a certificate, and beside it the 95% band of the method "GP", if it is there, or of a fit that is certified
        to be within 1e-5 nats of the exact one. The titles say half the
        width of the certified band, its median over the inputs.
    """
    follows: dict[str, list[Follow]] = {}
    colours = colours_of(results)
    first = next(iter(runs.values()))
    X, y = first.problem.X[:, 0], first.problem.y
    low, high = first.data.window or (X.min(), X.max())
    margin = FROM_TRUTH * (high - low or 1.0)
    left, right = window or (low - margin, high + margin)
    grid = np.linspace(left, right, GRID)
    drawn = {label: curves.evenly(run.sample(grid), particles) for label, run in runs.items()}
    own = look().vertical_axis == "own" and range is None
    limits = {label: range or common_limits(first, grid, {label: drawn[label]} if own else drawn) for label in runs}
    every = 2 if input is not None else 1
    rows, columns = panel_row(len(runs), 11.0 * every)
    with slide(results, rows, facts=observations(runs, functions=True), clock=clock_of(runs).at(-1)) as figure:
        widths = [3.2, 1.0] * columns if input is not None else [1.0] * columns
        panels = grid_of(figure, (rows, len(widths)), every * len(runs), sharey=not own, widths=widths)
        turning = X[np.argmax(y)] if input is None else input
        for place, (axes, (label, run)) in enumerate(zip(panels[::every], runs.items(), strict=True)):
            follows[label] = [curves.draw_functions(axes, run, grid, drawn[label], colours[label], turning)]
            if truth and run.data.truth is not None:
                draw_truth(axes, run, grid)
            promise = curves.draw_guarantee(axes, run, exact_of(results), grid, colours[label]) if guaranteed else ""
            if run.problem.observed is None:
                curves.draw_data(axes, run, faint=targets or guaranteed)
            else:
                curves.draw_functionals(axes, run, grid[-1] - grid[0])
            name = style.shown_name(label)
            name = name if run.method.name in label else f"{name} ({run.method.name})"
            shade = palette().words if run.problem.likelihood.even else style.lettering(colours[label])
            covered = reading.facts_of(results, label).get("bands", {}).get("data") if targets else None
            second = "" if covered is None else say("covered", share=number(f"{covered['covered']:.0%}"))
            lines = list(filter(None, [name, second, promise]))
            axes.set_title(lines[0] if look().is_slide else "\n".join(lines), fontweight="bold", color=shade)
            if look().is_slide and look().note and lines[1:]:
                style.note_above(axes, *lines[1:])
            if targets:
                curves.draw_target_band(axes, run, grid, colours[label])
            axes.set_xlim(grid[0], grid[-1])
            lowest = place >= len(runs) - columns or not look().is_slide
            axes.set_xlabel("x" if lowest else "")
            axes.tick_params(labelbottom=lowest)
            axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
            if input is not None:
                axes.axvline(input, color=palette().words, linestyle=":", linewidth=1.5)
        if input is not None:
            for axes, (label, run) in zip(panels[1::2], runs.items(), strict=True):
                follows[label].append(draw_distribution(axes, run, input, limits[label], colours[label]))
                axes.set_ylim(*limits[label])
                axes.tick_params(labelleft=False)
                if truth and run.data.truth is not None:
                    draw_true_value(axes, run, input)
        for axes, label in zip(panels[::every], runs, strict=True):
            axes.set_ylim(*limits[label])
        for axes in panels[:: every * columns]:
            axes.set_ylabel(say("function"))
    return MovingFigure(
        figure, runs, {label: showing(run, follows[label]) for label, run in runs.items()}, figure.clock
    )


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


def draw_distribution(axes: Axes, run: FunctionRun, place: float, limits: Interval, colour: str) -> Follow:
    """Draw a histogram of f at one input that lies on its side."""
    edges = np.linspace(*limits, BINS + 1)

    def heights(then: FunctionRun) -> Array:
        return np.histogram(then.sample(np.array([place]))[:, 0], bins=edges, density=True)[0]

    counts = heights(run)
    middles = 0.5 * (edges[:-1] + edges[1:])
    two = run.problem.likelihood.even
    shades = [palette().signs[int(middle < 0.0)] if two else colour for middle in middles]
    bars = axes.barh(middles, counts, height=edges[1] - edges[0], color=shades, alpha=0.75, linewidth=0.0)
    axes.set_xlabel(say("density_of_f"))
    axes.set_title(say("at_input", x=number(f"{place:.4g}")), color=palette().words)
    axes.xaxis.set_major_locator(MaxNLocator(2))
    axes.set_xlim(0.0, 1.08 * (counts.max() or 1.0))

    def follow(then: FunctionRun) -> None:
        for bar, width in zip(bars, heights(then), strict=True):
            bar.set_width(width)

    return follow


def draw_true_value(axes: Axes, run: FunctionRun, place: float) -> None:
    """Draw lines at the true value of f at one input, and at minus that where it explains the data as well."""
    level = float(run.data.value(np.array([[place]]))[0])
    for sign in (1.0, -1.0) if run.problem.likelihood.even else (1.0,):
        axes.axhline(sign * level, color=palette().ink, linestyle="--", linewidth=1.5)
