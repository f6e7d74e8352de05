"""The draws of a sample: a histogram of each variable of the model with its mean and 90% interval, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from particlegvi.contracts import Array
from particlegvi.plotting import style
from particlegvi.plotting.heading import heading
from particlegvi.plotting.look import Look, drawn_in, palette, say
from particlegvi.plotting.text_layout import finished
from particlegvi.settings.pictures import check

MOST = 12  # panels; further variables are not drawn
COLUMNS = 3
BINS = 24


def plot_marginals(
    columns: Mapping[str, Array], arrived: bool, particles: int, records: int, **settings: Any
) -> Figure:
    """A panel for each of the first twelve variables, under the verdict and the meaning of dot and bar.

    Parameters
    ----------
    columns : mapping
        Draws (n,) by the name of a variable.
    arrived : bool
        The verdict of the run.
    particles, records : int
        How many particles and records the draws are.
    **settings
        Settings of the look (see `particlegvi.plotting.figure`): ``size``, ``font_size``, ``palette`` and so on.
    """
    names = list(columns)[:MOST]
    with drawn_in(Look(**check(settings))), style.slide_style():
        columns_of_panels = 2 if len(names) == 4 else min(COLUMNS, len(names))
        rows = -(-len(names) // columns_of_panels)
        figure = style.new_slide(rows)
        grid = list(figure.subplots(rows, columns_of_panels, squeeze=False).flat)
        for axes, name in zip(grid, names, strict=False):
            _panel(axes, name, columns[name])
        for axes in grid[len(names) :]:
            axes.set_visible(False)
        title = say("posterior_arrived" if arrived else "posterior_not_arrived")
        heading(figure, {"title": title}, {}, say("mean_and_interval", particles=particles, records=records))
        return finished(figure)


def _panel(axes: Axes, name: str, draws: Array) -> None:
    colour = palette().methods["DLE"]
    axes.hist(draws, BINS, density=True, color=colour, alpha=0.75)
    low, high = np.quantile(draws, [0.05, 0.95])
    bottom = -0.06 * axes.get_ylim()[1]
    axes.plot([low, high], [bottom, bottom], color=palette().ink, linewidth=2.4, solid_capstyle="butt")
    axes.plot(draws.mean(), bottom, "o", color=palette().ink, markersize=6.0)
    axes.set_xlabel(style.plain(name))
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=4))
