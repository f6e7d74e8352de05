"""Two swept keys as a map: colours for the mean of a number over the seeds, hatches where exact draws show the same."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Patch, Rectangle
from matplotlib.patheffects import withStroke

from particlegvi.contracts import Array
from particlegvi.plotting import rules, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import heading
from particlegvi.plotting.look import look, number, palette, say
from particlegvi.plotting.plane import grid_of, panel_grid
from particlegvi.plotting.swept import (
    Panel,
    Swept,
    key_name,
    like_exact_draws,
    means,
    measure_name,
    note,
    panels,
    value_names,
)
from particlegvi.settings.grids import is_higher_better

MOST_WORDS = 110  # a panel with more cells has no numbers in its cells
MOST_TICKS = 10
BLACK, WHITE = "#000000", "#FFFFFF"


@figure_kind("heat-map", of=("sweep",), measures=rules.labels, methods=rules.labels)
def heat_map(sweep: Swept, *, measures: Sequence[str] | None = None, methods: Sequence[str] | None = None) -> Figure:
    """One panel for each number and method, over two swept keys.

    Parameters
    ----------
    measures, methods : sequence of str, optional
        Numbers and labels to draw; all of the sweep by default.
    """
    if len(sweep.over) != 2:
        raise ValueError(f"this kind of figure draws sweeps over 2 keys, not {len(sweep.over)}; lines draws any")
    chosen = panels(sweep, measures, methods)
    with style.slide_style():
        rows, columns = panel_grid(len(chosen))
        figure = style.new_slide(rows)
        axes = grid_of(figure, (rows, columns), len(chosen))
        hatched = stopped = False
        for each, panel in zip(axes, chosen, strict=True):
            # panels of one number have one scale of colours, so that methods can be compared
            same = np.stack([means(sweep, other) for other in chosen if other.measure == panel.measure])
            limits = (float(np.nanmin(same)), float(np.nanmax(same))) if np.isfinite(same).any() else (0.0, 1.0)
            found = _draw(figure, each, sweep, panel, limits, words=len(chosen) <= 2)
            hatched, stopped = hatched or found[0], stopped or found[1]
        handles = []
        if hatched:
            handles.append(Patch(facecolor=palette().ground, edgecolor=palette().ink, hatch="///", linewidth=0.8,
                                 label=say("like_exact_draws")))
        if stopped:
            handles.append(Patch(facecolor=palette().ground, edgecolor=palette().ink, linewidth=0.8,
                                 label=say("diverged_somewhere")))
        if handles:
            figure.legend(handles=handles, loc="outside lower center", ncols=2, columnspacing=1.5)
        heading(figure, sweep.scenario, {}, note(sweep))
    return figure


def _draw(
    figure: Figure, axes: Axes, sweep: Swept, panel: Panel, limits: tuple[float, float], words: bool
) -> tuple[bool, bool]:
    """One panel, the first key along the horizontal axis; whether anything is hatched, and anything diverged."""
    across, up = list(sweep.over)
    shown = means(sweep, panel).T
    light_is_good = "_r" if not is_higher_better(panel.measure) else ""
    colours = matplotlib.colormaps[("gray" if look().palette == "grey" else "cividis") + light_is_good]
    colours = colours.with_extremes(bad=palette().ground)
    image = axes.imshow(
        shown, origin="lower", aspect="auto", cmap=colours, interpolation="nearest", vmin=limits[0], vmax=limits[1]
    )
    bar = figure.colorbar(image, ax=axes, pad=0.02, aspect=24)
    bar.outline.set_visible(False)
    within, lost = like_exact_draws(sweep, panel), sweep.stopped(panel.method).sum(axis=-1).T
    words = words and shown.size <= MOST_WORDS
    for row, column in np.ndindex(shown.shape):
        place = (column - 0.5, row - 0.5)
        ink = _ink(image, float(shown[row, column]))
        if within is not None and within[column, row]:
            axes.add_patch(
                Rectangle(place, 1.0, 1.0, fill=False, hatch="///", edgecolor=ink, linewidth=0.0, alpha=0.55)
            )
        if lost[row, column]:
            axes.text(column + 0.3, row + 0.24, "×", ha="center", va="center", color=ink)
        if words and np.isfinite(shown[row, column]):
            text = axes.text(column, row, _short(float(shown[row, column]), shown), ha="center", va="center", color=ink)
            edge = BLACK if ink == WHITE else WHITE
            text.set_path_effects([withStroke(linewidth=2.0, foreground=edge, alpha=0.35)])
    for axis, values in ((axes.xaxis, sweep.over[across]), (axes.yaxis, sweep.over[up])):
        places = np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_TICKS)).round().astype(int))
        axis.set_ticks(places, [value_names(values)[place] for place in places])
        axis.set_tick_params(length=0)
    axes.set_xlabel(key_name(across))
    axes.set_ylabel(key_name(up))
    axes.set_title(f"{style.shown_name(panel.method)}: {measure_name(panel.measure)}")
    axes.spines[:].set_visible(False)
    return within is not None and bool(within.any()), bool(lost.any())


def _ink(image: AxesImage, value: float) -> str:
    """Black on light cells, white on dark ones; the ink of the look where there is no colour."""
    if not np.isfinite(value):
        return palette().ink
    red, green, blue = np.asarray(image.to_rgba(np.array([value])))[0, :3]
    return BLACK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else WHITE


def _short(value: float, every: Array) -> str:
    """A number with as many decimals as tell the cells of its panel apart, three digits at most."""
    largest = float(np.nanmax(np.abs(every)))
    decimals = 2 if largest < 10.0 else 1 if largest < 100.0 else 0
    known = every[np.isfinite(every)]
    fewer = (places for places in range(decimals) if np.all(known == known.round(places)))
    decimals = next(fewer, decimals)
    return number(f"{value:.{decimals}f}" if 1e-2 < largest < 1e4 else f"{value:.1e}")
