"""Modes in the plane: their basins, and the share of particles in each beside the mass of the target there."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Text
from numpy.typing import NDArray

from particlegvi.contracts import Array, Target
from particlegvi.plotting import reading, style
from particlegvi.plotting.look import number, say
from particlegvi.plotting.plane import GRID, Modes, Plane
from particlegvi.plotting.protocols import ParticleRun, Results, Runs, is_atoms, is_density

FEW = 20  # up to so many particles are counted, more are given as shares
MANY_MODES = 12  # with more modes than this no numbers are written
WORD = (0.24, 0.14)  # width and height of the words of a mode, as parts of the panel's
_NEIGHBOURS = tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0))

Counts: TypeAlias = tuple[NDArray[np.intp], int]  # numbers of particles in every mode, and the number of all


def counts_of(
    results: Results, label: str, run: ParticleRun, plane: Plane, valleys: Valleys, record: int = -1
) -> Counts:
    """Numbers of particles in every mode at a record, and the number of all; the last from the summary if it can be."""
    last = reading.final_particles(run, record)
    ended = valleys.nearest and record in (-1, len(run.positions) - 1)
    counted = reading.facts_of(results, label).get("mode_occupancy") if ended else None
    if counted is not None and len(counted) == len(valleys.lowest):
        return np.asarray(counted, dtype=np.intp), len(last)
    modes = valleys.of(plane, last)
    return np.bincount(modes[modes >= 0], minlength=len(valleys.lowest)), len(last)


def write_shares(
    axes: Axes,
    held: Counts,
    expected: Array | None,
    colour: str,
    valleys: Valleys,
    spots: Array,
) -> list[Text]:
    """The share of particles in every mode, and in brackets that of the truth."""
    written = []
    for mode, (spot, text) in enumerate(zip(spots, words_of(held, expected), strict=True)):
        is_shown = bool(np.isfinite(spot).all())
        spot = spot if is_shown else valleys.lowest[mode]
        away = "bottom" if spot[1] > valleys.lowest[mode, 1] else "top"
        shade = style.lettering(colour, 0.8)
        words = axes.text(
            spot[0],
            spot[1],
            text,
            ha="center",
            va=away,
            color=shade,
            fontweight="bold",
            linespacing=1.05,
            zorder=6,
            visible=is_shown,
        )
        style.outlined(words)
        written.append(words)
    return written


def words_of(held: Counts, expected: Array | None) -> list[str]:
    """The words of every mode: numbers of few particles, or shares of many."""
    counts, total = held
    shares = (
        [number(f"{count / total:.0%}") for count in counts]
        if total > FEW
        else [say("of_all", count=count, all=total) for count in counts]
    )
    if expected is None:
        return shares
    return [f"{share}\n({number(f'{mass:.0%}')})" for share, mass in zip(shares, expected, strict=True)]


def places_of_words(runs: Runs, plane: Plane, valleys: Valleys) -> Array:
    """Places (modes, 2) of the words: above the particles of all methods, and below them in the lower half.

    NaN if the words would cover those of a mode with more particles both above and below their own mode.
    """
    spots = valleys.lowest.copy()
    held = np.zeros(len(spots))
    height = float(np.ptp(plane.window[1]))
    middle = float(np.mean(valleys.lowest[:, 1]))
    reach = 0.06 * height
    for run in runs.values():
        last, fitted = reading.final_particles(run), reading.fitted_gaussian(run)
        modes = valleys.of(plane, last)
        held += np.bincount(modes[modes >= 0], minlength=len(held))
        for mode, place in enumerate(valleys.lowest):
            inside = np.abs(last[modes == mode, 1] - place[1])
            reach = max(reach, float(np.quantile(inside, 0.99))) if len(inside) else reach
        if fitted is not None:
            mean, sd = fitted
            reach = max(reach, float(np.min(np.abs(valleys.lowest[:, 1] - mean[1])) + 2.0 * sd[1]))
    bottom, top = plane.window[1]
    away = np.where(spots[:, 1] >= middle, 1.0, -1.0) * (reach + 0.02 * height)
    left, right = plane.window[0]
    spots[:, 0] = np.clip(spots[:, 0], left + 0.13 * (right - left), right - 0.13 * (right - left))
    sides = [np.clip(spots[:, 1] + each, bottom + 0.16 * height, top - 0.16 * height) for each in (away, -away)]
    room = np.array([WORD[0] * (right - left), WORD[1] * height])
    middles: list[Array] = []  # middles of the words already placed
    for mode in np.argsort(-held, kind="stable"):
        for side in sides:
            up = 0.5 if side[mode] > valleys.lowest[mode, 1] else -0.5
            here = np.array([spots[mode, 0], side[mode] + up * room[1]])
            if not any(np.all(np.abs(here - there) < room) for there in middles):
                middles.append(here)
                spots[mode, 1] = side[mode]
                break
        else:
            spots[mode] = np.nan
    return spots


def true_shares(target: Target | None, plane: Plane, valleys: Valleys) -> Array | None:
    """The mass of the target in every mode, or None where it is not known."""
    count = len(valleys.lowest)
    if is_atoms(target):
        modes, mass = valleys.of(plane, np.asarray(target.atoms)), np.asarray(target.weights)
    elif is_density(target):
        density = reading.density_grid(target, *plane.window, size=GRID)[3]
        modes, mass = valleys.basin.ravel(), np.nan_to_num(density).ravel()
    else:
        return None
    total = float(mass.sum())
    return np.bincount(modes[modes >= 0], weights=mass[modes >= 0], minlength=count) / total if total > 0 else None


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
