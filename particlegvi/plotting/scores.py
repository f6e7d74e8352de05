"""A benchmark table as a picture: every score with its spread over the splits, and the printed ones beside it."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from particlegvi.plotting import rules
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import slide
from particlegvi.plotting.look import look, palette, say
from particlegvi.plotting.protocols import Results, Scored
from particlegvi.settings.colours import assigned
from particlegvi.tools import words
from particlegvi.tools.export.panels import ScorePanel

MARKS = "osD^vPX*"
SPREAD = 0.62  # spread of the marks of one row, relative to the distance between two rows
LINES = 5.5  # rows of a panel as high as a slide
BROAD = 44.0  # sizes of the smallest letters that two panels with their names need beside each other


@figure_kind("scores", of=("table",), metrics=rules.labels)
def scores(results: Results, *, metrics: list[str] | None = None) -> Figure:
    """One panel per score: a mark and its standard deviation for every data set, model and protocol.

    Hollow marks are the numbers that the thesis prints. Scores of the same data sets stand beside each other.

    Parameters
    ----------
    metrics : list of str, optional
        The scores to draw ("nll", "mae", "auc", "accuracy"); all that the table prints by default.
    """
    table = next(iter(results.values()), None)
    if not isinstance(table, Scored):
        raise ValueError("this kind of figure draws the scores of a benchmark table, and there is none yet")
    panels = table.panels(metrics)
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
                axes.set_yticklabels([] if across else panel.rows)
    return figure


def draw_panel(axes: Axes, panel: ScorePanel) -> None:
    """The marks of one score, a row for each data set from the top."""
    paint, thick = palette(), look().scale
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
            elinewidth=1.4 * thick, markersize=7.0 * thick, markerfacecolor="none" if printed else colour,
            markeredgewidth=1.4 * thick, label=worded(name, names),
        )  # fmt: skip
    axes.set_ylim(len(panel.rows) - 0.45, -0.55)
    axes.set_yticks(range(len(panel.rows)))
    axes.grid(axis="x", alpha=0.3)
    for edge in np.arange(1, len(panel.rows)) - 0.5:
        axes.axhline(edge, color=paint.ink, alpha=0.15, linewidth=0.8 * thick)
    known = words.of(look().language).table("figures")
    axes.set_xlabel(say(f"score_{panel.metric}") if f"score_{panel.metric}" in known else panel.metric)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 5, 10]))
    axes.margins(x=0.08)
    spoken = words.of(look().language)  # now: ticks are written when the figure is drawn, which may be outside its look
    axes.xaxis.set_major_formatter(lambda value, _: spoken.number(f"{value:g}"))


def worded(name: tuple[str, str], names: list[tuple[str, str]]) -> str:
    """A model with its protocol, or with the word that it is printed; on a slide without a protocol of most models."""
    model, which = name
    protocols = [protocol for _, protocol in names]
    if look().is_slide and which == max(protocols, key=protocols.count):
        return model
    known = words.of(look().language).table("figures")
    key = f"protocol_{which}"
    return f"{model}, {say(key) if key in known else which}"
