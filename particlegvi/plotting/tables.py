"""Figures of benchmark tables: scores by data set, and approximations against their number of inducing points."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator

from particlegvi.plotting import rules, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import slide
from particlegvi.plotting.look import localised, look, palette, say
from particlegvi.plotting.plane import grid_of, panel_row
from particlegvi.plotting.protocols import Curved, Results, Scored
from particlegvi.settings.colours import assigned
from particlegvi.tools import words
from particlegvi.tools.export.panels import CurvePanel, ScorePanel
from particlegvi.tools.registry import one_of

MARKS = "osD^vPX*"
SPREAD = 0.62  # spread of the marks of one row, relative to the distance between two rows
LINES = 5.5  # rows of a panel as high as a slide
BROAD = 44.0  # sizes of the smallest letters that two panels with their names need beside each other
MARKERS = "os^DvPX*"
NARROW = 16.0  # sizes of the smallest letters that a panel needs


@figure_kind("scores", of=("table",))
def scores(results: Results) -> Figure:
    """One panel per score: a mark and its standard deviation for every data set, model and protocol.

    Hollow marks are the numbers that the thesis prints. Scores of the same data sets stand beside each other.
    """
    table = next(iter(results.values()), None)
    if not isinstance(table, Scored):
        raise ValueError("this kind of figure draws the scores of a benchmark table, and there is none yet")
    panels = table.panels()
    groups: dict[tuple[str, ...], list[ScorePanel]] = {}
    for panel in panels:
        groups.setdefault(tuple(panel.rows), []).append(panel)
    beside = 2 if look().breadth >= BROAD or look().is_slide else 1
    lines = [group[first : first + beside] for group in groups.values() for first in range(0, len(group), beside)]
    longest = [max(len(line[0].rows), 2) for line in lines]
    tall = max(1.0, 2.0 * sum(longest) / LINES)
    with slide(results, tall, note=say("mean_and_sd", count=table.splits)) as figure:
        grid = figure.add_gridspec(len(lines), max(map(len, lines)), height_ratios=longest)
        for down, line in enumerate(lines):
            for across, panel in enumerate(line):
                axes = figure.add_subplot(grid[down, across])
                draw_panel(axes, panel)
                axes.set_yticklabels([] if across else [style.shown_name(row) for row in panel.rows])
    return figure


def draw_panel(axes: Axes, panel: ScorePanel) -> None:
    """The marks of one score, a row for each data set from the top."""
    paint = palette()
    names = list(panel.series)
    own = {", ".join(name): name[0].split()[0] for name in names if name not in panel.printed}  # "DRE on outputs": DRE
    colours = assigned(own, look().palette, look().colours)
    up = np.linspace(-0.5, 0.5, len(names)) * SPREAD if len(names) > 1 else np.zeros(1)
    for position, name in enumerate(names):
        means, spreads = panel.series[name]
        printed = name in panel.printed
        colour = paint.ink if printed else colours[", ".join(name)]
        mark = MARKS[position % len(MARKS)]
        axes.errorbar(
            means, np.arange(len(means)) + up[position], xerr=spreads, fmt=mark, color=colour, capsize=0.0,
            elinewidth=1.4, markersize=7.0, markerfacecolor="none" if printed else colour,
            markeredgewidth=1.4, label=worded(name, names),
        )  # fmt: skip
    axes.set_ylim(len(panel.rows) - 0.45, -0.55)
    axes.set_yticks(range(len(panel.rows)))
    axes.grid(axis="x", alpha=0.3)
    for edge in np.arange(1, len(panel.rows)) - 0.5:
        axes.axhline(edge, color=paint.ink, alpha=0.15, linewidth=0.8)
    known = words.of(look().language).table("figures")
    axes.set_xlabel(say(f"score_{panel.metric}") if f"score_{panel.metric}" in known else panel.metric)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 5, 10]))
    axes.margins(x=0.08)
    spoken = words.of(look().language)  # now: ticks are written when the figure is drawn, which may be outside its look
    axes.xaxis.set_major_formatter(lambda value, _: spoken.number(f"{value:g}"))


def worded(name: tuple[str, str], names: list[tuple[str, str]]) -> str:
    """A model with its protocol, or with the word that it is printed; on a slide without a protocol of most models."""
    model, which = words.of(look().language).label(name[0]), name[1]
    protocols = [protocol for _, protocol in names]
    if look().is_slide and which == max(protocols, key=protocols.count):
        return model
    known = words.of(look().language).table("figures")
    key = f"protocol_{which}"
    return f"{model}, {say(key) if key in known else which}"


@figure_kind("curves", of=("approximation",), methods=rules.labels)
def curves(results: Results, *, methods: list[str] | None = None) -> Figure:
    """One panel for each data set and score: medians over the trials, and bars from the lowest to the highest.

    Parameters
    ----------
    methods : list of str, optional
        Names of the table's columns to draw; all by default.
    """
    table = next(iter(results.values()), None)
    if not isinstance(table, Curved):
        raise ValueError("this kind of figure draws the scores of approximations, and there are none yet")
    panels = table.curves()
    names = list(dict.fromkeys(name for panel in panels for name in panel.series))
    for name in methods or ():
        one_of("approximation", name, names)
    sets = len({panel.title for panel in panels})
    scores = len(panels) // sets
    rows, columns = panel_row(scores, NARROW)
    rows *= sets
    with slide(results, max(1.0, 0.5 * rows), note=say("median_and_range", count=table.splits)) as figure:
        grid = grid_of(figure, (rows, columns), len(panels))
        for place, (axes, panel) in enumerate(zip(grid, panels, strict=True)):
            draw_curves(axes, panel, names, methods or names)
            axes.set_title(say(f"score_{panel.metric}"), color=palette().words)
            if sets > 1 and place % scores == 0:
                axes.set_ylabel(style.shown_name(panel.title))
    return figure


def draw_curves(axes: Axes, panel: CurvePanel, names: Sequence[str], methods: Collection[str]) -> None:
    """A line for each of the methods, in the colour of its place among all names; logarithmic where all is positive."""
    shades = palette().spare
    drawn = np.ones(0)
    for place, name in enumerate(names):
        if name not in methods or name not in panel.series:
            continue
        median, low, high = panel.series[name]
        drawn = np.append(drawn, low)
        colour = shades[place % len(shades)]
        at = panel.sizes * (1.0 + 0.03 * (place - 0.5 * (len(names) - 1)))
        ends = np.maximum([median - low, high - median], 0.0)
        axes.errorbar(at, median, yerr=ends, marker=MARKERS[place % len(MARKERS)], color=colour,
                      linestyle=style.DASHES[place % 4], linewidth=1.6, elinewidth=1.0,
                      markersize=5.5, label=style.shown_name(name))  # fmt: skip
    axes.set_xscale("log")
    if np.all(drawn[np.isfinite(drawn)] > 0.0):
        axes.set_yscale("log")
    axes.set_xticks(panel.sizes, [localised(f"{size}") for size in panel.sizes])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(say("number_of_inducing_points"))
