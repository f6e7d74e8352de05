"""Numbers that figures read from runs: finite particles, fitting ranges, the loss on a grid and its minima."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from particlegvi.contracts import Array, Loss, Run
from particlegvi.diagnostics.particles import fitted_gaussian, has_bars
from particlegvi.plotting.protocols import FunctionRun, HasDensity, Interval, NetworkRun, ParticleRun, Results
from particlegvi.tools.errors import LossNotHere, warn
from particlegvi.tools.registry import look_up

Select: TypeAlias = Callable[[Results, Sequence[str] | None], Mapping[str, Any]]  # the runs with these labels


def named_runs(results: Results, methods: Sequence[str] | None) -> dict[str, Any]:
    """All runs, or those that the option ``methods`` names, in its order; a ValueError if there is none."""
    everything = dict(results.items())
    if not everything:
        raise ValueError("there is nothing to draw yet: no method of the run is finished")
    runs = everything if methods is None else {label: look_up("method", label, everything) for label in methods}
    if not runs:
        raise ValueError("methods of a figure is empty, but a figure needs at least one method to draw")
    return runs


def chosen_runs(results: Results, methods: Sequence[str] | None) -> dict[str, ParticleRun]:
    """The runs that a figure of particles shows (`named_runs`)."""
    runs = named_runs(results, methods)
    for label, run in runs.items():
        if not isinstance(run, ParticleRun):
            raise ValueError(f"this kind of figure draws particles that minimise a loss, but {label} has none")
    return runs


def of_functions(results: Results, methods: Sequence[str] | None, inputs: int | None = 1) -> dict[str, FunctionRun]:
    """The fits of functions that a figure shows (`named_runs`); a ValueError where one has other inputs than these."""
    runs = named_runs(results, methods)
    _check_inputs({label: run.data.inputs if isinstance(run, FunctionRun) else 0 for label, run in runs.items()},
                  inputs, "function")  # fmt: skip
    return runs


def of_networks(results: Results, methods: Sequence[str] | None, inputs: int) -> dict[str, NetworkRun]:
    """The runs of networks that a figure shows (`named_runs`); a ValueError where one has other inputs."""
    runs = named_runs(results, methods)
    _check_inputs({label: run.data.X.shape[1] if isinstance(run, NetworkRun) else 0 for label, run in runs.items()},
                  inputs, "network")  # fmt: skip
    return runs


def _check_inputs(known: Mapping[str, int], inputs: int | None, what: str) -> None:
    """Refuse a run with another number of inputs, None for any; 0 stands for a run of another kind."""
    for label, found in known.items():
        wanted = inputs or found or 1
        if found != wanted:
            many, own = ("one input" if number == 1 else f"{number} inputs" for number in (wanted, found))
            is_one = f"a {what} of {own}" if found else f"no {what}"
            raise ValueError(f"this kind of figure draws {what}s of {many}, but {label} is {is_one}")


def facts_of(results: Results, label: str) -> Mapping[str, Any]:
    """Numbers of a method in ``summary.json``; empty where there are none."""
    return results.summary.get("methods", {}).get(label, {})


def finite_particles(positions: Array) -> Array:
    """The rows of ``(particles, dim)`` in which every coordinate is a finite number."""
    return positions[np.isfinite(positions).all(axis=1)]


def final_particles(run: Run, last: int = -1) -> Array:
    """The finite particles of the last record up to ``last`` that has any, also of a run that diverged later."""
    for record in range(last % len(run.positions), -1, -1):
        particles = finite_particles(np.asarray(run.positions[record]))
        if len(particles):
            return particles
    return np.empty((0, run.positions.shape[2]))


def drawable(particles: Array, most: int = 20_000) -> Array:
    """At most ``most`` of the particles, evenly chosen: more dots cannot be told apart and take time."""
    return particles[:: -(-len(particles) // most) or 1]


def spans(run: Run) -> Array:
    """The finite final particles, and for FD-GVI also two standard deviations around its mean: (n, dim)."""
    last, fitted = final_particles(run), fitted_gaussian(run)
    return last if fitted is None else np.vstack([last, fitted.mean - 2.0 * fitted.sd, fitted.mean + 2.0 * fitted.sd])


def fitting_range(samples: Iterable[Array], bounds: Interval = (-np.inf, np.inf)) -> Interval:
    """An interval that shows the samples; a single stray one does not widen it.

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
    margin = 0.05 * (high - low) if has_bars(low, high) else 0.1 * max(1.0, abs(low))
    return float(max(low - margin, bounds[0])), float(min(high + margin, bounds[1]))


def prior_bounds(run: ParticleRun, coordinate: int = 0) -> Interval:
    """The ends of the prior in one coordinate: minus and plus infinity unless it is bounded."""
    return float(run.prior.low[coordinate]), float(run.prior.high[coordinate])


def loss_values(loss: Loss, points: Array) -> Array:
    """The loss at ``points`` (n, dim), with infinity in place of NaN."""
    with np.errstate(all="ignore"):
        values = np.asarray(loss.value(np.ascontiguousarray(points)), dtype=np.float64)
    return np.where(np.isnan(values), np.inf, values)


def is_here(loss: Loss) -> bool:
    """Whether the loss can be asked for values: a folder may have its name alone. A warning says so where it cannot."""
    try:
        loss.value(np.zeros((1, loss.dim)))
    except LossNotHere as error:
        warn(f"the figure is drawn without loss and truth: {error}")
        return False
    except ValueError:
        pass  # at this point
    return True


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


def global_minimisers(loss: Loss, limits: Interval) -> Array:
    """Global minimisers of a loss in 1-D in an interval: local minima as deep as the deepest, to a millionth."""
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
    """Upper end of the axis of the loss: over the barriers and most particles, not up the outer walls."""
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


def grid_points(horizontal: Interval, vertical: Interval, size: int) -> tuple[Array, Array, Array]:
    """Coordinates along both axes, and all points of the grid as (size * size, 2), the first coordinate fastest."""
    across, up = np.linspace(*horizontal, size), np.linspace(*vertical, size)
    first, second = np.meshgrid(across, up)
    return across, up, np.column_stack([first.ravel(), second.ravel()])


def density_grid(
    target: HasDensity, horizontal: Interval, vertical: Interval, size: int
) -> tuple[Array, Array, Array, Array]:
    """A density in 2-D over a grid: coordinates along both axes, the points, and values (size, size)."""
    across, up, points = grid_points(horizontal, vertical, size)
    return across, up, points, np.asarray(target.pdf(points), dtype=np.float64).reshape(size, size)
