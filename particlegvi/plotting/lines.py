"""A number against the values of a swept key: means over the seeds with 95% bands, and what exact draws would show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from particlegvi.contracts import Array
from particlegvi.plotting import rules, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import slide
from particlegvi.plotting.look import look, palette, say
from particlegvi.plotting.swept import Swept, key_name, mean_over, measure_name, note, panels, value_names

MOST_TICKS = 10
LEVEL = 0.95
DOTS = (0, (1, 1.4))


@figure_kind("lines", of=("sweep",), measures=rules.labels, methods=rules.labels)
def lines(sweep: Swept, *, measures: Sequence[str] | None = None, methods: Sequence[str] | None = None) -> Figure:
    """One panel for each number and swept key, with a line for each method; other keys are averaged over.

    Parameters
    ----------
    sweep : Sweep
    measures, methods : sequence of str, optional
        Numbers and labels to draw; all of the sweep by default.
    """
    chosen = panels(sweep, measures, methods)
    names = list(dict.fromkeys(panel.measure for panel in chosen))
    keys = list(sweep.over)
    if not keys:
        raise ValueError("this kind of figure draws sweeps over at least 1 key, not over seeds alone")
    labels = list(dict.fromkeys(panel.method for panel in chosen))
    colours = _colours(labels)
    with slide(sweep, len(names), note=note(sweep) + (f", {say('averaged')}" if len(keys) > 1 else "")) as figure:
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
                axes.set_xlabel(key_name(key))
            grid[row, 0].set_ylabel(measure_name(measure))
        if any(sweep.has(f"{panel.measure}_floor.1", panel.method) for panel in chosen):
            # in grey for the lines of all methods, and last
            grid[-1, -1].plot([], [], color=palette().particles, linestyle=DOTS, label=say("most_exact_draws"))
        if any(sweep.stopped(label).any() for label in labels):
            # the mark is in the words, as in the legend of the heat map
            grid[-1, -1].plot([], [], linestyle="none", label=say("diverged_somewhere"))
    return figure


def _colours(labels: Sequence[str]) -> dict[str, str]:
    """The colours of methods as in every other figure; other labels get the remaining colours."""
    paint = palette()
    known = {label: look().colours.get(label) or paint.methods.get(label.upper().replace("-", "")) for label in labels}
    spare = iter([colour for colour in paint.spare if colour not in known.values()] * len(labels))
    return {label: colour or next(spare, paint.ink) for label, colour in known.items()}


def _line(axes: Axes, sweep: Swept, measure: str, label: str, axis: int, look: tuple[str, int, int]) -> None:
    """Mean and band of a method, each marked by itself, so that lines on top of each other are seen."""
    colour, position, many = look
    x = np.arange(len(list(sweep.over.values())[axis])) + 0.06 * (position - 0.5 * (many - 1))
    by_seed = _by_seed(sweep.values(measure, label), axis)
    mean, low, high = band(by_seed)
    marker = "osD^vPX"[position % 7]
    axes.plot(x, mean, color=colour, marker=marker, markersize=7.0, label=style.shown_name(label), gid="mean")
    if np.isfinite(low).any():
        axes.fill_between(x, low, high, color=colour, alpha=0.22, linewidth=0.0, gid="band")
        axes.vlines(x, low, high, color=colour, linewidth=1.0, alpha=0.5)  # a band has no width at a lone value
    lost = _by_seed(sweep.stopped(label), axis).any(axis=1)
    if lost.any():
        foot = np.full(np.count_nonzero(lost), 0.03)
        at_foot = axes.get_xaxis_transform()
        axes.plot(x[lost], foot, linestyle="none", marker="x", color=colour, transform=at_foot, gid="lost")
    floor = f"{measure}_floor.1"
    if sweep.has(floor, label):
        most = _by_seed(sweep.values(floor, label), axis)
        axes.plot(x, band(most)[0], color=colour, linestyle=DOTS, linewidth=1.6, gid="floor")


def _laws(axes: Axes, sweep: Swept, colours: Mapping[str, str]) -> None:
    """The laws of the scenario over the first number: in the colour of a method, or else in ink."""
    for place, (name, values) in enumerate(sweep.laws.items()):
        dashes = style.DASHES[1 + place % (len(style.DASHES) - 1)]
        axes.plot(np.arange(len(values)), values, color=colours.get(name, palette().ink), linestyle=dashes,
                  linewidth=2.0, label=say("law_of", name=style.plain(name)), gid=f"law of {name}")  # fmt: skip


def _by_seed(values: Array, axis: int) -> Array:
    """Means over all keys but one, (values of the key, seeds); NaN where there is none."""
    return mean_over(values, tuple(place for place in range(values.ndim - 1) if place != axis))


def band(values: Array) -> tuple[Array, Array, Array]:
    """Mean over the seeds (values, seeds) that have a number, and the ends of its 95% interval (Student)."""
    from scipy.special import stdtrit

    known = np.isfinite(values)
    number = known.sum(axis=1)
    mean = mean_over(values, 1)
    square = np.where(known, (values - mean[:, None]) ** 2, 0.0).sum(axis=1)
    enough = number > 1
    error = np.sqrt(square / np.maximum(number - 1, 1) / np.maximum(number, 1))
    width = np.where(enough, stdtrit(np.maximum(number - 1, 1), 0.5 + 0.5 * LEVEL) * error, np.nan)
    return mean, mean - width, mean + width


def _values(axes: Axes, values: Sequence[object]) -> None:
    """The values of the key, side by side at equal distances."""
    places = np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_TICKS)).round().astype(int))
    axes.set_xticks(places, [value_names(values)[place] for place in places])
    axes.set_xlim(-0.5, len(values) - 0.5)
