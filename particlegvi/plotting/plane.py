"""The plane below particles in 2-D: the window that is shown, and the contours of the loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from particlegvi.contracts import Array
from particlegvi.losses.loss import Loss
from particlegvi.plotting import reading, style
from particlegvi.plotting.look import look, palette
from particlegvi.plotting.protocols import Interval, Runs, Targets, is_atoms

Window = tuple[Interval, Interval]
Modes = Sequence[Sequence[float]] | None  # points (k, 2) that a scenario names, if it does
GRID = 201
LEVELS = 12
DENSER = 0.7  # narrowest panel on a slide, whose height is scarce, relative to other pictures
NARROWEST = 14.5  # narrowest panel, in sizes of the smallest letters


class Plane(NamedTuple):
    """The loss over a window: coordinates along both axes, and values (GRID, GRID), rows going up."""

    across: Array
    up: Array
    loss: Array
    names: Sequence[str] = (r"$\theta_1$", r"$\theta_2$")  # names of the axes

    @property
    def window(self) -> Window:
        return (float(self.across[0]), float(self.across[-1])), (float(self.up[0]), float(self.up[-1]))


def plane_of(runs: Runs, targets: Targets, modes: Modes = None) -> Plane:
    """The loss over a window that fits the runs, the targets and the ``modes`` (k, 2)."""
    run = next(iter(runs.values()))
    horizontal, vertical = common_window(runs, targets, modes)
    across, up, points = reading.grid_points(horizontal, vertical, GRID)
    values = reading.loss_values(run.loss, points) if reading.is_here(run.loss) else np.zeros(len(points))
    values = values.reshape(GRID, GRID)
    return Plane(across, up, values, style.coordinates(run.loss, 2))


def common_window(runs: Runs, targets: Targets, named: Modes) -> Window:
    """One window for all panels: around the final particles, and as tall as the panels have room for.

    The margin is a tenth of the range on every side, or less if the loss names a part of the plane to show.
    """
    run = next(iter(runs.values()))
    modes = modes_to_show(runs, targets, named)
    around = 0.25 * np.ptp(modes, axis=0) if len(modes) else np.zeros(2)
    suggested = run.loss.plot_window if isinstance(run.loss, Loss) else None
    sides = []
    for coordinate in (0, 1):
        bounds = reading.prior_bounds(run, coordinate)
        ends = [reading.spans(each)[:, coordinate] for each in runs.values()]
        ends += [modes[:, coordinate] - around[coordinate], modes[:, coordinate] + around[coordinate]]
        low, high = reading.fitting_range(ends, bounds)
        margin = 0.1 * (high - low)
        wide = (max(low - margin, bounds[0]), min(high + margin, bounds[1]))
        if suggested is not None:
            wide = (max(wide[0], suggested[coordinate][0]), min(wide[1], suggested[coordinate][1]))
        sides.append((min(low, wide[0]), max(high, wide[1])))
    (left, right), (bottom, top) = sides
    rows, columns = panel_grid(len(runs))
    room = look().tallness(columns) or {1: 0.0, 2: 0.0, 3: 1.1}.get(columns, 1.38) if rows == 1 else 0.0
    missing = max(0.0, room * (right - left) - (top - bottom)) / 2.0
    return (left, right), (bottom - missing, top + missing)


def modes_to_show(runs: Runs, targets: Targets, named: Modes) -> Array:
    """Places (n, 2) that a picture must show: the modes that a scenario names, if any, and the atoms of the targets."""
    places = [np.asarray(named or np.empty((0, 2)), dtype=np.float64).reshape(-1, 2)]
    for label in runs:
        target = targets.get(label)
        if is_atoms(target):
            places.append(np.asarray(target.atoms, dtype=np.float64))
    return np.concatenate(places)


def draw_plane(axes: Axes, plane: Plane, labelled: bool) -> None:
    """Contours of the loss in greys, light where the loss is low, at levels that share the window's area.

    Levels at quantiles of the values show the valleys of any loss, whatever its scale.
    """
    values = np.where(np.isfinite(plane.loss), plane.loss, np.nan)
    shares = np.linspace(0.0, 1.0, LEVELS + 1)[1:-1] ** 1.5
    levels = np.unique(np.nanquantile(values, shares))
    if len(levels) > 1:
        shades = [str(shade) for shade in np.linspace(*palette().shades, len(levels) + 1)]
        axes.contourf(plane.across, plane.up, values, levels, colors=shades, extend="both", zorder=0)
        axes.contour(plane.across, plane.up, values, levels, colors=palette().contour, linewidths=0.7, zorder=0.5)
    axes.set_xlim(*plane.window[0])
    axes.set_ylim(*plane.window[1])
    axes.set_aspect("equal", adjustable="box")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 3, 5, 10]))
    axes.set_xlabel(plane.names[0])
    axes.set_ylabel(plane.names[1] if labelled else "", rotation=0, labelpad=10)
    axes.tick_params(labelleft=labelled)


def panel_row(panels: int, narrowest: float) -> tuple[int, int]:
    """Rows and columns for panels that stand in one row where each has this breadth, in sizes of letters."""
    seen = look()
    narrowest *= DENSER if seen.is_slide else 1.0
    most = max(1, int(seen.breadth // narrowest))
    rows = -(-panels // most)
    if seen.is_slide:  # whose height a second row may halve twice
        rows = min(rows, panel_grid(panels)[0])
    return rows, -(-panels // rows)


def grid_of(
    figure: Figure, shape: tuple[int, int], panels: int, columns: int = 0, *, sharex: bool = False,
    sharey: bool = False, widths: Sequence[float] | None = None,
) -> list[Axes]:  # fmt: skip
    """The first so many axes of a grid; the others are hidden, and those above them keep the numbers at their axis."""
    made = figure.subplots(*shape, sharex=sharex, sharey=sharey, squeeze=False, width_ratios=widths)
    grid = list(made.ravel())
    for spare in grid[panels:]:
        spare.set_visible(False)
    for axes in grid[max(0, panels - columns) : panels]:
        axes.tick_params(labelbottom=True)
    return grid[:panels]


def panel_grid(panels: int) -> tuple[int, int]:
    """Rows and columns for so many panels: one row up to four, or as the height of the look leaves them most room."""
    seen = look()
    if seen.height is None:
        rows = -(-panels // max(1, int(seen.breadth // NARROWEST)))
        return rows, -(-panels // rows)
    height = seen.height * 72.0 / seen.small
    sizes = {}  # about the side of a panel, in sizes of the smallest letters, by the number of rows
    for rows in range(1, panels + 1):
        columns = -(-panels // rows)
        sizes[rows] = min((seen.breadth - 6.0) / columns - 1.0, (height - 8.0) / rows - 5.5)
    rows = max(sizes, key=lambda each: sizes[each])
    return rows, -(-panels // rows)
