"""The modes of a loss over a window of the plane, and the points that belong to each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array
from particlegvi.plotting.plane import GRID, Modes, Plane


class Valleys(NamedTuple):
    """The modes of a loss in a window: their places (modes, 2), and the mode of every grid point, or -1.

    ``nearest`` says that a point belongs to the mode it is nearest to, rather than to the one it drains to.
    """

    lowest: Array
    basin: NDArray[np.intp]
    nearest: bool = False

    def of(self, plane: Plane, points: Array) -> NDArray[np.intp]:
        """The mode of each of ``points`` (n, 2); -1 where the loss drains out of the window."""
        if self.nearest:
            return nearest_of(points, self.lowest)
        column = np.rint((points[:, 0] - plane.across[0]) / (plane.across[1] - plane.across[0])).astype(int)
        row = np.rint((points[:, 1] - plane.up[0]) / (plane.up[1] - plane.up[0])).astype(int)
        inside = (column >= 0) & (column < GRID) & (row >= 0) & (row < GRID)
        modes = np.full(len(points), -1, dtype=np.intp)
        modes[inside] = self.basin[row[inside], column[inside]]
        return modes


def nearest_of(points: Array, places: Array) -> NDArray[np.intp]:
    """Index of the nearest of ``places`` (modes, 2) to each of ``points`` (n, 2)."""
    squares = [np.sum((points - place) ** 2, axis=1) for place in places]
    return np.argmin(squares, axis=0).astype(np.intp)


def modes_of(named: Modes, plane: Plane) -> Valleys:
    """The modes (k, 2) that a scenario names, or else the valleys of the loss."""
    if not named:
        return valleys_of(plane)
    places = np.asarray(named, dtype=np.float64).reshape(-1, 2)
    points = np.stack(np.meshgrid(plane.across, plane.up), axis=-1).reshape(-1, 2)
    return Valleys(places, nearest_of(points, places).reshape(GRID, GRID), nearest=True)


def valleys_of(plane: Plane) -> Valleys:
    """Follow steepest descent from every grid point, and join valleys that no real barrier parts.

    A barrier is real when it is higher than one per cent of the range of the loss below its median: less than that is
    a wrinkle of the grid (a ring has no modes).
    """
    heights = np.where(np.isfinite(plane.loss), plane.loss, np.inf)
    basin = _drain(heights)
    finite = heights[np.isfinite(heights)]
    least = 0.01 * float(np.median(finite) - finite.min()) if len(finite) else 0.0
    basin = _join(heights, basin, least)
    kept, lowest = [], []
    for root in np.unique(basin):
        row, column = divmod(int(root), GRID)
        if 0 < row < GRID - 1 and 0 < column < GRID - 1:
            kept.append(root)
            lowest.append((plane.across[column], plane.up[row]))
    names = np.full(GRID * GRID, -1, dtype=np.intp)
    names[kept] = np.arange(len(kept))
    return Valleys(np.array(lowest).reshape(-1, 2), names[basin])


_NEIGHBOURS = tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0))


def _shifted(grid: Array, down: int, right: int, fill: float) -> Array:
    padded = np.pad(grid, 1, constant_values=fill)
    return padded[1 + down : padded.shape[0] - 1 + down, 1 + right : padded.shape[1] - 1 + right]


def _drain(heights: Array) -> NDArray[np.intp]:
    """The flat index of the lowest point that each grid point flows to."""
    places = np.arange(heights.size).reshape(heights.shape)
    steepest, towards = np.zeros(heights.shape), places.copy()
    for down, right in _NEIGHBOURS:
        with np.errstate(invalid="ignore"):
            drop = (heights - _shifted(heights, down, right, np.inf)) / np.hypot(down, right)
        better = drop > steepest
        steepest[better] = drop[better]
        towards[better] = (places + down * heights.shape[1] + right)[better]
    ends = towards.ravel()
    while not np.array_equal(ends, ends[ends]):
        ends = ends[ends]
    return ends.reshape(heights.shape)


def _join(heights: Array, basin: NDArray[np.intp], least: float) -> NDArray[np.intp]:
    """Join every basin whose lowest pass is less than ``least`` above its lowest point to its neighbour there."""
    flat = heights.ravel()
    passes: dict[tuple[int, int], float] = {}
    for here, there in ((np.s_[:, :-1], np.s_[:, 1:]), (np.s_[:-1, :], np.s_[1:, :])):
        edge = basin[here] != basin[there]
        height = np.maximum(heights[here], heights[there])[edge]
        for first, second, level in zip(basin[here][edge], basin[there][edge], height, strict=True):
            pair = (min(first, second), max(first, second))
            passes[pair] = min(passes.get(pair, np.inf), level)
    owner = {int(root): int(root) for root in np.unique(basin)}

    def find(root: int) -> int:
        while owner[root] != root:
            root = owner[root]
        return root

    for (first, second), level in sorted(passes.items(), key=lambda item: item[1]):
        low, high = sorted((find(int(first)), find(int(second))), key=lambda root: flat[root])
        if low != high and level - flat[high] < least:
            owner[high] = low
    names: NDArray[np.intp] = np.arange(flat.size, dtype=np.intp)
    for root in owner:
        names[root] = find(root)
    return names[basin]
