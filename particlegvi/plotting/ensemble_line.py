"""Ensembles of networks over a line: every member, the data, the gaps between them, and the true process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from particlegvi.contracts import Array
from particlegvi.plotting import reading, rules, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import slide
from particlegvi.plotting.look import number, palette, say
from particlegvi.plotting.moving import Moving, Show, clock_of
from particlegvi.plotting.plane import grid_of, panel_row
from particlegvi.plotting.protocols import Interval, NetworkRun, Results

GRID = 401
BEYOND = 1.0 / 6.0  # part of the data's width that is drawn beyond them
WIDE = 1.645  # standard deviations of a 90% band


@figure_kind(
    "ensemble-line", of=("networks",), runs=partial(reading.of_networks, inputs=1), moves=True,
    members=rules.whole(1, 10_000), range=rules.interval,
)  # fmt: skip
def ensemble_line(
    results: Results,
    runs: Mapping[str, NetworkRun],
    *,
    members: int = 50,
    truth: bool = True,
    range: Interval | None = None,
) -> Moving:
    """One panel per method: the function of every network, the data and the gaps between them.

    Parameters
    ----------
    members : int
        Most networks that are drawn.
    truth : bool
        Whether the true function, and the band of the process that it was drawn from, are drawn where they are known.
    range : (low, high), optional
        Range of the functions; chosen from them by default.
    """
    if any(run.classifies for run in runs.values()):
        raise ValueError("this kind of figure draws regressions, but these networks classify")
    colours = style.colours(results)
    first = next(iter(runs.values()))
    x = first.data.X[:, 0]
    margin = BEYOND * (x.max() - x.min() or 1.0)
    grid = np.linspace(x.min() - margin, x.max() + margin, GRID)
    drawn = {label: means(run, grid)[:members] for label, run in runs.items()}
    limits = _limits(first, grid, list(drawn.values())) if range is None else range
    rows, columns = panel_row(len(runs), 11.0)
    count = say("number_of_observations", count=number(f"{len(first.data.y):,}"))
    shows: dict[str, Show] = {}
    with slide(results, rows, runs, count, clock_of(runs).at(-1)) as figure:
        panels = grid_of(figure, (rows, columns), len(runs), columns, sharey=True)
        for axes, (label, run) in zip(panels, runs.items(), strict=True):
            shows[label] = following(run, grid, _draw(axes, run, grid, drawn[label], colours[label], truth))
            style.panel_title(axes, label, run, colours[label])
            axes.set_xlim(grid[0], grid[-1])
            axes.set_xlabel(say("input"))
            axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        panels[0].set_ylim(*limits)
        for axes in panels[::columns]:
            axes.set_ylabel(say("function"))
    return Moving(figure, runs, shows, figure.clock)


def following(run: NetworkRun, grid: Array, curves: Sequence[Line2D]) -> Show:
    """Move the functions of networks to a record."""

    def show(record: int) -> None:
        for curve, values in zip(curves, means(run.at(record), grid), strict=False):
            curve.set_ydata(values)

    return show


def means(run: NetworkRun, grid: Array) -> Array:
    """The output of each network at the inputs (n,): (particles, n), of two outputs the first."""
    found = run.predict(grid[:, None])
    return found if found.ndim == 2 else found[:, :, 0]


def _draw(axes: Axes, run: NetworkRun, grid: Array, members: Array, colour: str, truth: bool) -> list[Line2D]:
    """Draw one panel; returns the curves of the networks."""
    for low, high in run.data.gaps:
        axes.axvspan(low, high, color=palette().gap, linewidth=0.0, zorder=0, label=say("no_data"))
    known = run.process(grid[:, None]) if truth else None
    if known is not None:
        mean, sd = known
        axes.fill_between(grid, mean - WIDE * sd, mean + WIDE * sd, color=palette().faint, alpha=0.35, linewidth=0.0,
                          zorder=1)
        axes.fill([], [], color=palette().faint, alpha=0.5, linewidth=0.0, label=say("true_process"))
    curves = axes.plot(grid, members.T, color=colour, linewidth=0.9, alpha=0.55, zorder=2)
    axes.plot([], [], color=palette().words, linewidth=1.2, label=say("networks"))
    if truth and run.data.truth is not None:
        line = axes.plot(grid, run.data.truth(grid), color=palette().ink, linestyle="--", linewidth=1.8, zorder=3,
                         label=say("truth"))[0]  # fmt: skip
        style.outlined(line)
    axes.scatter(run.data.X[:, 0], run.data.y, s=24.0, color=palette().words, edgecolors=palette().ground,
                 linewidths=0.4, label=say("data"), zorder=4)
    return curves


def _limits(run: NetworkRun, grid: Array, members: list[Array]) -> Interval:
    samples = [np.ravel(each) for each in members]
    if run.data.truth is not None:
        samples.append(run.data.truth(grid))
    low, high = reading.fitting_range(samples)
    margin = 0.05 * (high - low)
    return min(low, float(run.data.y.min()) - margin), max(high, float(run.data.y.max()) + margin)
