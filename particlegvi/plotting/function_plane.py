"""Functions of two inputs: how sure each method is over the plane, or its mean, and along a line through it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from particlegvi.contracts import Array
from particlegvi.plotting import reading, rules, style
from particlegvi.plotting.functions import colours_of
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import observations, slide
from particlegvi.plotting.look import look, palette, say
from particlegvi.plotting.plane import Window
from particlegvi.plotting.protocols import FunctionRun, Results

GRID, ALONG = 61, 201
MOST = 4  # methods
ROOM = 0.35  # margin on each side, as a part of the range of the data


@figure_kind(
    "function-plane", of=("function-space",), runs=partial(reading.of_functions, inputs=2), window=rules.window
)
def function_plane(
    results: Results, runs: Mapping[str, FunctionRun], *, window: Window | None = None, means: bool = False
) -> Figure:
    """Above the standard deviation of f over the plane, a panel for each of at most four methods; below it along the
    diagonal of the window, on a logarithmic axis, which tells small ones apart.

    Parameters
    ----------
    window : ((left, right), (bottom, top)), optional
        The part of the plane to show; by default the data and a third of their range on every side.
    means : bool
        Whether the mean of f takes the place of its standard deviation, with the true function along the diagonal.
    """
    if len(runs) > MOST:
        raise ValueError(f"methods must be at most {MOST} for this kind of figure, not {len(runs)}")
    first = next(iter(runs.values()))
    shown = window or _window(first.problem.X)
    across, up, points = reading.grid_points(*shown, GRID)
    (left, right), (bottom, top) = shown
    share = np.linspace(0.0, 1.0, ALONG)
    diagonal = np.column_stack([left + share * (right - left), bottom + share * (top - bottom)])
    shades = {label: _numbers(run, points, means).reshape(GRID, GRID) for label, run in runs.items()}
    lowest = min(float(each.min()) for each in shades.values()) if means else 0.0
    highest = max(float(each.max()) for each in shades.values())
    name = say("mean_of_f" if means else "sd_of_f")
    colours = colours_of(results)
    tone = {"dark": "Greys_r", "grey": "Greys"}.get(look().palette, "Purples")
    with slide(results, 2, facts=observations(runs, functions=True)) as figure:
        grid = figure.add_gridspec(2, len(runs), height_ratios=(1.25, 1.0))
        panels = [figure.add_subplot(grid[0, column]) for column in range(len(runs))]
        for axes, (label, run) in zip(panels, runs.items(), strict=True):
            image = axes.pcolormesh(across, up, shades[label], cmap=tone, vmin=lowest, vmax=highest, shading="nearest",
                                    rasterized=True)  # fmt: skip
            X = run.problem.X
            axes.plot(X[:, 0], X[:, 1], "o", color=palette().minimiser, markersize=2.5, markeredgewidth=0.3,
                      markeredgecolor=palette().ink, label=say("data"))  # fmt: skip
            axes.plot([left, right], [bottom, top], color=palette().words, linestyle=":", linewidth=1.5)
            axes.set(xlim=shown[0], ylim=shown[1], xlabel="" if look().is_slide else "$x_1$")
            axes.set_aspect("equal", adjustable="box")
            axes.set_title(style.shown_name(label), fontweight="bold", color=style.lettering(colours[label]))
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 5, 10]))
            axes.tick_params(labelleft=axes is panels[0])
        panels[0].set_ylabel("$x_2$", rotation=0, labelpad=10)
        ticks = MaxNLocator(nbins=5, steps=[1, 2, 5, 10])  # short numbers, so that the label has room
        figure.colorbar(image, ax=panels, label=name, pad=0.01, ticks=ticks)
        below = figure.add_subplot(grid[1, :])
        if means and first.data.truth is not None:
            f = first.data.value(diagonal)
            below.plot(diagonal[:, 0], f, color=palette().ink, linewidth=1.2, label=say("truth"))
        for place, (label, run) in enumerate(runs.items()):
            below.plot(diagonal[:, 0], _numbers(run, diagonal, means), color=colours[label],
                       label=style.shown_name(label), linestyle=style.DASHES[place % 4])  # fmt: skip
        below.set(xlim=shown[0], yscale="linear" if means else "log", xlabel=say("along_diagonal"), ylabel=name)
    return figure


def _numbers(run: FunctionRun, X: Array, means: bool) -> Array:
    """The mean of f at inputs (n, 2), or its standard deviation, (n,)."""
    law = run.marginals(X)
    return law.centres.mean(axis=0) if means else law.sd()


def _window(X: Array) -> Window:
    low, high = X.min(axis=0), X.max(axis=0)
    middle, half = 0.5 * (low + high), (0.5 + ROOM) * float((high - low).max())
    (left, bottom), (right, top) = middle - half, middle + half
    return (float(left), float(right)), (float(bottom), float(top))
