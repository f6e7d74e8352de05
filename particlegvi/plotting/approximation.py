"""Distances of approximations to the exact process against their number of inducing points, on logarithmic axes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from particlegvi.plotting import rules, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import slide
from particlegvi.plotting.look import look, number, palette, say
from particlegvi.plotting.plane import grid_of, panel_row
from particlegvi.plotting.protocols import Curved, Results
from particlegvi.tools.export.panels import CurvePanel
from particlegvi.tools.registry import look_up

MARKERS = "os^DvPX*"
NARROW = 17.0  # sizes of the smallest letters that a panel needs


@figure_kind("curves", of=("approximation",), metrics=rules.labels, methods=rules.labels)
def curves(results: Results, *, metrics: list[str] | None = None, methods: list[str] | None = None) -> Figure:
    """One panel for each data set and score: medians over the trials, and bars from the lowest to the highest.

    Parameters
    ----------
    metrics : list of str, optional
        Scores ("mean_error", "sd_error", "worst", "rmse", "kl", "kl_reversed", "pf"); by default the first two
        and "kl".
    methods : list of str, optional
        Names of the table's columns to draw; all by default.
    """
    table = next(iter(results.values()), None)
    if not isinstance(table, Curved):
        raise ValueError("this kind of figure draws the scores of approximations, and there are none yet")
    panels = table.curves(metrics)
    names = list(dict.fromkeys(name for panel in panels for name in panel.series))
    for name in methods or ():
        look_up("approximation", name, dict.fromkeys(names))
    sets = len({panel.title for panel in panels})
    scores = len(panels) // sets
    rows, columns = panel_row(scores, NARROW)
    rows *= sets
    with slide(results, max(1.0, 0.5 * rows), note=say("median_and_range", count=table.splits)) as figure:
        grid = grid_of(figure, (rows, columns), len(panels))
        for place, (axes, panel) in enumerate(zip(grid, panels, strict=True)):
            draw_curves(axes, panel, names, methods or names)
            axes.set_title(style.narrowed(axes, say(f"score_{panel.metric}")), color=palette().words)
            if sets > 1 and place % scores == 0:
                axes.set_ylabel(panel.title)
    return figure


def draw_curves(axes: Axes, panel: CurvePanel, names: Sequence[str], methods: Collection[str]) -> None:
    """A line for each of the methods, in the colour of its place among all names; logarithmic where all is positive."""
    shades, thick = palette().spare, look().scale
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
                      linestyle=style.DASHES[place % 4], linewidth=1.6 * thick, elinewidth=1.0 * thick,
                      markersize=5.5 * thick, label=name)  # fmt: skip
    axes.set_xscale("log")
    if np.all(drawn[np.isfinite(drawn)] > 0.0):
        axes.set_yscale("log")
    axes.set_xticks(panel.sizes, [number(f"{size}") for size in panel.sizes])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(say("number_of_inducing_points"))
