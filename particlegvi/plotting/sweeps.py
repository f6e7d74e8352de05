"""Figures of sweeps: means over the seeds against the values of a key with 95% bands, and a map over two keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from matplotlib.transforms import ScaledTranslation

from particlegvi.contracts import Array
from particlegvi.diagnostics import spread_records
from particlegvi.diagnostics.over_seeds import band, mean_over
from particlegvi.plotting import rules, style, swept
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import slide
from particlegvi.plotting.look import look, palette, say
from particlegvi.plotting.plane import grid_of, panel_grid
from particlegvi.plotting.swept import Panel, Swept
from particlegvi.settings.colours import assigned, darker
from particlegvi.settings.grids import is_higher_better, possible

CURVE = 200  # points of a law
APART = 3.0  # points between methods that are drawn beside each other
WIDE = 3.0  # least ratio of the ends of a logarithmic axis
DOTS = (0, (1, 1.4))
MOST_TICKS = 10
LEAST, MOST = 5e-324, 1.5e308  # ends of a logarithmic axis; values of a sweep are below 1e308


@figure_kind("lines", of=("sweep",), measures=rules.labels, methods=rules.labels)
def lines(sweep: Swept, *, measures: Sequence[str] | None = None, methods: Sequence[str] | None = None) -> Figure:
    """One panel for each number and swept key, with a line for each method; other keys are averaged over.

    Parameters
    ----------
    measures, methods : sequence of str, optional
        Numbers and labels to draw; all of the sweep by default.
    """
    chosen = swept.panels(sweep, measures, methods)
    names = list(dict.fromkeys(panel.measure for panel in chosen))
    keys = list(sweep.over)
    if not keys:
        raise ValueError("this kind of figure draws sweeps over at least 1 key, not over seeds alone")
    labels = list(dict.fromkeys(panel.method for panel in chosen))
    tables = sweep.scenario.get("methods", {})
    kinds = {label: str(tables.get(label, {}).get("method", label)) for label in sweep.methods}
    colours = assigned(kinds, look().palette, look().colours)
    with slide(
        sweep, len(names), note=swept.note(sweep, band=True) + (f", {say('averaged')}" if len(keys) > 1 else "")
    ) as figure:
        grid = figure.subplots(len(names), len(keys), squeeze=False, sharey="row")
        for row, measure in enumerate(names):
            for column, key in enumerate(keys):
                axes = grid[row, column]
                for position, label in enumerate(labels):
                    if sweep.has(measure, label):
                        _line(axes, sweep, measure, label, column, (colours[label], position, len(labels)))
                if row == 0:
                    _laws(axes, sweep, colours)
                _values(axes, sweep.over[key])
                axes.set_xlabel(swept.key_name(key))
            grid[row, 0].set_ylabel(swept.measure_name(measure))
        if any(sweep.has(f"{panel.measure}_floor.1", panel.method) for panel in chosen):
            # in grey for the lines of all methods, and last
            grid[-1, -1].plot([], [], color=palette().particles, linestyle=DOTS, label=say("most_exact_draws"))
        if any(sweep.truth(panel.measure, panel.method) is not None for panel in chosen):
            grid[-1, -1].plot([], [], color=palette().particles, linestyle="--", label=say("truth"))
        if any(sweep.stopped(label).any() for label in labels):
            # the mark is in the words, as in the legend of the heat map
            grid[-1, -1].plot([], [], linestyle="none", label=say("diverged_somewhere"))
        grid[-1, -1].plot([], [], linestyle="none", label=swept.unsettled(sweep, labels))
    return figure


def _line(axes: Axes, sweep: Swept, measure: str, label: str, axis: int, look: tuple[str, int, int]) -> None:
    """Mean and band of a method, beside those of other methods, so that lines on top of each other are seen."""
    colour, position, many = look
    x = places_of(list(sweep.over.values())[axis])
    inches = (position - 0.5 * (many - 1)) * APART / 72.0
    beside = axes.transData + ScaledTranslation(inches, 0.0, axes.figure.dpi_scale_trans)  # type: ignore[union-attr]
    by_seed = _by_seed(sweep.values(measure, label), axis)
    mean, low, high = band(by_seed)
    least, most = possible(measure, sweep.scenario)
    low, high = np.maximum(low, least), np.minimum(high, most)
    for heights in (mean, low, high):  # the shifted artists are not looked at when the axes find their range
        axes.update_datalim(np.column_stack([x, heights])[np.isfinite(heights)])
    marker = "osD^vPX"[position % 7]
    axes.plot(
        x,
        mean,
        color=colour,
        linestyle="none" if sweep.laws else "-",  # between the marks the laws are the lines
        marker=marker,
        markersize=7.0,
        label=style.shown_name(label),
        gid="mean",
        transform=beside,
    )
    if np.isfinite(low).any():
        if not sweep.laws:
            axes.fill_between(x, low, high, color=colour, alpha=0.22, linewidth=0.0, gid="band", transform=beside)
        # a band has no width at a lone value
        axes.vlines(x, low, high, color=colour, linewidth=2.5 if sweep.laws else 1.0, alpha=0.5, transform=beside)
    truth = sweep.truth(measure, label)
    if truth is not None:
        axes.plot(x, band(_by_seed(truth, axis))[0], color=darker(colour), linestyle="--", linewidth=1.8, gid="truth")
    lost = _by_seed(sweep.stopped(label), axis).any(axis=1)
    if lost.any():
        foot = np.full(np.count_nonzero(lost), 0.03)
        at_foot = axes.get_xaxis_transform()
        axes.plot(x[lost], foot, linestyle="none", marker="x", color=colour, transform=at_foot, gid="lost")
    unsettled = _by_seed(sweep.unsettled(label), axis).any(axis=1) & np.isfinite(mean)
    axes.plot(
        x[unsettled],
        mean[unsettled],
        linestyle="none",
        marker=marker,
        markersize=7.0,
        color=colour,
        markerfacecolor=palette().ground,
        gid="unsettled",
        transform=beside,
    )
    floor = f"{measure}_floor.1"
    if sweep.has(floor, label):
        most_exact = _by_seed(sweep.values(floor, label), axis)
        axes.plot(x, band(most_exact)[0], color=colour, linestyle=DOTS, linewidth=1.6, gid="floor")


def _laws(axes: Axes, sweep: Swept, colours: Mapping[str, str]) -> None:
    """The laws of the scenario over the first number: in the colour of a method, or else in ink."""
    x = places_of(next(iter(sweep.over.values())))
    between = np.geomspace if scale_for(x) == "log" else np.linspace
    grid = np.unique(np.append(between(x.min(), x.max(), CURVE), x))
    for place, (name, law) in enumerate(sweep.laws.items()):
        dashes = style.DASHES[1 + place % (len(style.DASHES) - 1)]
        axes.plot(grid, law(grid), color=colours.get(name, palette().ink), linestyle=dashes,
                  linewidth=2.0, label=say("law_of", name=style.shown_name(name)), gid=f"law of {name}")  # fmt: skip


def _by_seed(values: Array, axis: int) -> Array:
    """Means over all keys but one, (values of the key, seeds); NaN where there is none."""
    return mean_over(values, tuple(place for place in range(values.ndim - 1) if place != axis))


def places_of(values: Sequence[object]) -> Array:
    """The values of a key on its axis: the numbers themselves, or 0, 1, ... where they are no numbers."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return np.array(values, dtype=np.float64)
    return np.arange(len(values), dtype=np.float64)


@np.errstate(over="ignore")
def scale_for(x: Array) -> str:
    """ "log" for places whose ratios are more even than their differences, "symlog" if 0 is one more, else "linear"."""
    above = np.unique(x[x > 0.0])
    if np.any(x < 0.0) or len(above) < 2 or above[-1] / above[0] < WIDE:
        return "linear"
    gaps, ratios = np.diff(above), np.diff(np.log(above))
    even = [float(np.std(each) / np.mean(each)) for each in (gaps, ratios)]
    if len(above) > 2 and even[1] >= even[0]:
        return "linear"
    return "symlog" if np.any(x == 0.0) else "log"


@np.errstate(over="ignore")
def _values(axes: Axes, values: Sequence[object]) -> None:
    """The values of the key on a true axis."""
    x = places_of(values)
    scale, order = scale_for(x), np.argsort(x, kind="stable")
    if scale == "symlog":
        axes.set_xscale("symlog", linthresh=float(np.min(x[x > 0.0])), linscale=0.6)
    else:
        axes.set_xscale(scale)
    along = np.asarray(axes.xaxis.get_transform().transform(x[order]))
    margin = 0.06 * float(np.ptp(along)) or 0.5
    axes.set_xticks(x, swept.value_names(values))
    axes.xaxis.set_minor_locator(NullLocator())
    ends = axes.xaxis.get_transform().inverted().transform(np.array([along[0] - margin, along[-1] + margin]))
    least, most = (LEAST if scale == "log" else -MOST), MOST  # a margin may leave the range of numbers
    axes.set_xlim(*(float(each) for each in np.clip(ends, least, most)))


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
    chosen = swept.panels(sweep, measures, methods)
    rows, columns = panel_grid(len(chosen))
    with slide(sweep, rows, note=swept.note(sweep)) as figure:
        panels = grid_of(figure, (rows, columns), len(chosen))
        for axes, panel in zip(panels, chosen, strict=True):
            # panels of one number have one scale of colours, so that methods can be compared
            same = np.stack([swept.means(sweep, other) for other in chosen if other.measure == panel.measure])
            limits = (float(np.nanmin(same)), float(np.nanmax(same))) if np.isfinite(same).any() else (0.0, 1.0)
            _draw(figure, axes, sweep, panel, limits)
    return figure


def _draw(figure: Figure, axes: Axes, sweep: Swept, panel: Panel, limits: tuple[float, float]) -> None:
    """One panel, the first key along the horizontal axis."""
    across, up = list(sweep.over)
    shown = swept.means(sweep, panel).T
    light_is_good = "_r" if not is_higher_better(panel.measure) else ""
    colours = matplotlib.colormaps[("gray" if look().palette == "grey" else "cividis") + light_is_good]
    colours = colours.with_extremes(bad=palette().ground)
    image = axes.imshow(
        shown, origin="lower", aspect="auto", cmap=colours, interpolation="nearest", vmin=limits[0], vmax=limits[1]
    )
    bar = figure.colorbar(image, ax=axes, pad=0.02, aspect=24)
    bar.outline.set_visible(False)
    lost, unsettled = sweep.stopped(panel.method).sum(axis=-1), sweep.unsettled(panel.method).sum(axis=-1)
    why = swept.unsettled(sweep, [panel.method])
    marked = (("×", 0.3, lost, say("diverged_somewhere")), ("○", -0.3, unsettled, why))
    for mark, beside, cells, words in marked:
        for column, row in np.argwhere(cells):
            style.outlined(axes.text(column + beside, row + 0.24, mark, ha="center", va="center"))
        if cells.any():
            axes.plot([], [], linestyle="none", label=words)
    for axis, values in ((axes.xaxis, sweep.over[across]), (axes.yaxis, sweep.over[up])):
        places = spread_records(len(values), MOST_TICKS)
        axis.set_ticks(places, [swept.value_names(values)[place] for place in places])
        axis.set_tick_params(length=0)
    axes.set_xlabel(swept.key_name(across))
    axes.set_ylabel(swept.key_name(up))
    axes.set_title(f"{style.shown_name(panel.method)}: {swept.measure_name(panel.measure)}")
    axes.spines[:].set_visible(False)
