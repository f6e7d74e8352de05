"""What the figures need to know about results: finite particles, fitting ranges, the loss on a grid, its minima."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from particlegvi.contracts import Array
from particlegvi.tools.registry import look_up


def chosen_runs(results: Mapping[str, Any], methods: Iterable[str] | None, dim: int | None = None) -> dict[str, Any]:
    """The runs a figure shows, in order: all of them, or those that the option ``methods`` names.

    Raises
    ------
    ValueError
        If a name is unknown, nothing is left to draw, or the particles do not have the dimension the figure draws.
    """
    everything = dict(results.items())
    if not everything:
        raise ValueError("there is nothing to draw yet: no method of the run is finished")
    if isinstance(methods, str):
        methods = [methods]
    runs = everything if methods is None else {label: look_up("method", label, everything) for label in methods}
    if not runs:
        raise ValueError("methods of a figure is empty, but a figure needs at least one method to draw")
    for label, run in runs.items():
        if dim is not None and run.positions.shape[2] != dim:
            raise ValueError(f"this kind of figure draws particles in {dim} dimension(s), but {label} has "
                             f"{run.positions.shape[2]}")
    return runs


def function_runs(results: Mapping[str, Any], methods: Iterable[str] | None) -> dict[str, Any]:
    """The fits of functions that a figure shows, as `chosen_runs` has them.

    Raises
    ------
    ValueError
        If they are no functions of one input.
    """
    runs = chosen_runs(results, methods)
    for label, run in runs.items():
        inputs = getattr(getattr(run, "data", None), "inputs", None)
        if inputs != 1:
            what = "no function" if inputs is None else f"a function of {inputs} inputs"
            raise ValueError(f"this kind of figure draws functions of one input, but {label} is {what}")
    return runs


def target_of(results: Any, label: str) -> Any:
    """The truth beside which the particles of ``label`` are drawn, or None."""
    return (getattr(results, "targets", None) or {}).get(label)


def facts_of(results: Any, label: str) -> Mapping[str, Any]:
    """What summary.json says about a method; empty where it says nothing."""
    return (getattr(results, "summary", None) or {}).get("methods", {}).get(label, {})


def finite_particles(positions: Array) -> Array:
    """The rows of ``(particles, dim)`` in which every coordinate is a finite number."""
    return positions[np.isfinite(positions).all(axis=1)]


def final_particles(run: Any) -> Array:
    """The finite particles of the last record that has any: a run that diverged is drawn where it still was."""
    for record in range(len(run.positions) - 1, -1, -1):
        particles = finite_particles(np.asarray(run.positions[record]))
        if len(particles):
            return particles
    return np.empty((0, run.positions.shape[2]))


def drawable(particles: Array, most: int = 20_000) -> Array:
    """At most so many of the particles, evenly chosen: more dots than that only cost time."""
    return particles[:: -(-len(particles) // most) or 1]


def fitted_gaussian(run: Any) -> tuple[Array, Array] | None:
    """Mean and standard deviations (dim,) of the Gaussian that FD-GVI fitted; None for the particle methods."""
    if "mean" not in run.info or "sd" not in run.info:
        return None
    mean = np.atleast_1d(np.asarray(run.info["mean"], dtype=np.float64))
    return mean, np.broadcast_to(np.asarray(run.info["sd"], dtype=np.float64), mean.shape)


def spans(run: Any) -> Array:
    """The finite final particles, and for FD-GVI also two standard deviations around its mean: (n, dim)."""
    last, fitted = final_particles(run), fitted_gaussian(run)
    return last if fitted is None else np.vstack([last, fitted[0] - 2.0 * fitted[1], fitted[0] + 2.0 * fitted[1]])


def fitting_range(samples: Iterable[Array], bounds: tuple[float, float] = (-np.inf, np.inf)) -> tuple[float, float]:
    """An interval that shows the samples without bowing to a stray one.

    It reaches from the smallest to the largest value, but no further than half the central 98% range beyond that
    range, with a margin of 5%, and stays inside ``bounds``.
    """
    values = np.concatenate([np.ravel(np.asarray(each, dtype=np.float64)) for each in samples])
    values = values[np.isfinite(values)]
    if not len(values):
        return -1.0, 1.0
    near, far = np.quantile(values, [0.01, 0.99])
    reach = 0.5 * (far - near)
    low = max(float(values.min()), near - reach) if reach > 0 else float(values.min())
    high = min(float(values.max()), far + reach) if reach > 0 else float(values.max())
    margin = 0.05 * (high - low) or 0.5 * max(1.0, abs(low)) * 0.2
    return float(max(low - margin, bounds[0])), float(min(high + margin, bounds[1]))


def pair(values: Sequence[float]) -> tuple[float, float]:
    """Two numbers of a scenario as a tuple."""
    low, high = values
    return float(low), float(high)


def prior_bounds(run: Any, coordinate: int = 0) -> tuple[float, float]:
    """Where the prior ends in one coordinate: minus and plus infinity unless it is a uniform one."""
    low = np.atleast_1d(np.asarray(getattr(run.prior, "low", -np.inf), dtype=np.float64))
    high = np.atleast_1d(np.asarray(getattr(run.prior, "high", np.inf), dtype=np.float64))
    return float(low[min(coordinate, len(low) - 1)]), float(high[min(coordinate, len(high) - 1)])


def loss_values(loss: Any, points: Array) -> Array:
    """The loss at ``points`` of shape (n, dim); what is not a number counts as infinite."""
    with np.errstate(all="ignore"):
        values = np.asarray(loss.value(np.ascontiguousarray(points)), dtype=np.float64)
    return np.where(np.isnan(values), np.inf, values)


def turning_points(grid: Array, values: Array) -> tuple[Array, Array]:
    """Local minima and local maxima inside a fine grid, each refined by the parabola through three points."""
    finite = values[np.isfinite(values)]
    least = 1e-9 * (float(np.ptp(finite)) if len(finite) else 0.0)

    def peaks(heights: Array) -> Array:
        left, middle, right = heights[:-2], heights[1:-1], heights[2:]
        at = np.flatnonzero((middle > left) & (middle >= right) & np.isfinite(left) & np.isfinite(right)) + 1
        bend = heights[at - 1] - 2.0 * heights[at] + heights[at + 1]
        at, bend = at[bend < -least * 1e-3], bend[bend < -least * 1e-3]
        shift = 0.5 * (heights[at - 1] - heights[at + 1]) / bend
        return grid[at] + np.clip(shift, -0.5, 0.5) * (grid[1] - grid[0])

    return peaks(-values), peaks(values)


def global_minimisers(loss: Any, limits: tuple[float, float]) -> Array:
    """Where in an interval a loss in 1-D is lowest: every local minimum as deep as the deepest, to a millionth."""
    grid = np.linspace(*limits, 4001)
    values = loss_values(loss, grid[:, None])
    minima, _ = turning_points(grid, values)
    heights = loss_values(loss, minima[:, None])
    finite = values[np.isfinite(values)]
    least = 1e-6 * float(np.ptp(finite)) if len(finite) else 0.0
    if not len(minima) or np.min(heights) > np.min(finite) + least:
        return np.empty(0)
    return minima[heights <= np.min(heights) + least]


def loss_ceiling(values: Array, at_particles: Array) -> float:
    """How high the axis of the loss should reach: over the barriers and most particles, not up the outer walls."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return 1.0
    lowest, highest = float(finite.min()), float(finite.max())
    tops = [float(np.quantile(at_particles[np.isfinite(at_particles)], 0.95))] if len(at_particles) else []
    inner = (values[1:-1] < values[:-2]) & (values[1:-1] <= values[2:])
    valleys = np.flatnonzero(inner) + 1
    if len(valleys) > 1:
        tops.append(float(np.max(values[valleys[0] : valleys[-1] + 1])))
    top = max(tops, default=highest)
    return min(highest, lowest + 1.4 * (top - lowest)) if top > lowest else highest


def grid_points(
    horizontal: tuple[float, float], vertical: tuple[float, float], size: int
) -> tuple[Array, Array, Array]:
    """Coordinates along both axes, and all points of the grid as (size * size, 2), the first coordinate fastest."""
    across, up = np.linspace(*horizontal, size), np.linspace(*vertical, size)
    first, second = np.meshgrid(across, up)
    return across, up, np.column_stack([first.ravel(), second.ravel()])


def density_grid(
    target: Any, horizontal: tuple[float, float], vertical: tuple[float, float], size: int
) -> tuple[Array, Array, Array, Array]:
    """A density in 2-D over a grid: coordinates along both axes, the points, and values (size, size)."""
    across, up, points = grid_points(horizontal, vertical, size)
    return across, up, points, np.asarray(target.pdf(points), dtype=np.float64).reshape(size, size)
