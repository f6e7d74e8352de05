"""How far the particles of a flow without noise have come: to the minima of their starts, or to rest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlegvi import diagnostics
from particlegvi.contracts import Array
from particlegvi.simulation.run import Run
from particlegvi.targets import AtomicTarget

CONVERGED = 1e-6  # limit relative to the largest gradient at the start, or to the longest way of a particle
NEARLY = 0.02  # limit relative to the longest way of a particle


class Descent(NamedTuple):
    """A deep ensemble beside the minima that its starts flow to."""

    arrived: bool  # every particle is near a minimum
    exactly: bool  # to a millionth of the way, or of the first gradient
    unlikely: str  # a minimum with a count outside the limits of chance, in words
    left: str  # the largest remaining gradient, and the farthest particle from its minimum, in words
    since: float | None  # the first recorded time from which on every particle stays near its end


def descent(run: Run, target: AtomicTarget) -> Descent:
    """The descent of a run, but for particles in minima that the target leaves out, if its error allows so many."""
    slope = np.linalg.norm(_free_gradient(run, run.final), axis=1)
    first = float(np.max(np.linalg.norm(_free_gradient(run, run.initial), axis=1)))
    away, nearest = _nearest(target.atoms, run.final)
    scale = float(np.max(np.linalg.norm(run.final - run.initial, axis=1))) or 1.0
    rare = (away > NEARLY * scale) & (slope <= CONVERGED * first)
    most = diagnostics.binomial_limits(run.particles, min(target.error, 1.0), 0.999)[1]
    few = 0 < np.count_nonzero(rare) <= min(most, run.particles - 1)
    known = ~rare if few else np.full(run.particles, True)
    steepest, farthest = float(np.max(slope)), float(np.max(away[known]))
    left = f"largest remaining gradient {steepest:.1e}, farthest particle {farthest:.1e} from a minimum"
    if few:
        left += f", but for {np.count_nonzero(rare)} in basins that hold less than {target.error:.1g} of the start"
    exactly = steepest <= CONVERGED * max(first, 1e-300) or farthest <= CONVERGED * scale
    arrived, unlikely = farthest <= NEARLY * scale, _unlikely(nearest[known], target, run.particles)
    return Descent(arrived, exactly, unlikely, left, _settled(run, NEARLY * scale) if arrived else None)


def _unlikely(nearest: NDArray[np.int64], target: AtomicTarget, particles: int) -> str:
    counts = np.bincount(nearest, minlength=len(target.atoms))
    for atom, count, weight in zip(target.atoms, counts, target.weights, strict=True):
        low, high = diagnostics.binomial_limits(particles, float(weight), 1.0 - 0.001 / len(counts))
        if not low <= count <= high:
            return f"{count} particles at ({', '.join(f'{at:.3g}' for at in atom)}), where {low} to {high} are due"
    return ""


def _nearest(atoms: Array, x: Array) -> tuple[Array, NDArray[np.int64]]:
    """Distance to the nearest atom and its index for each particle, both (n,)."""
    if atoms.shape[1] == 1:  # sort: no tree is needed, nor the time to load one
        nearest = np.searchsorted(0.5 * (atoms[1:, 0] + atoms[:-1, 0]), x[:, 0])
        return np.abs(x - atoms[nearest])[:, 0], nearest
    from scipy.spatial import cKDTree

    away, nearest = cKDTree(atoms).query(x)
    return away, nearest


def _settled(run: Run, near: float) -> float | None:
    if len(run.positions) < 3:
        return None
    for record in range(len(run.positions) - 2, -1, -1):
        if np.max(np.linalg.norm(run.positions[record] - run.final, axis=1)) > near:
            return float(run.times[record + 1])
    return float(run.times[0])


def _free_gradient(run: Run, x: Array) -> Array:
    """The gradient without the components that push particles against the walls of the prior's box."""
    slope = np.array(run.loss.gradient(np.ascontiguousarray(x)))
    slope[(x <= run.prior.low) & (slope > 0.0)] = 0.0
    slope[(x >= run.prior.high) & (slope < 0.0)] = 0.0
    return slope


def last_movement(run: Run) -> tuple[bool, float] | None:
    """Whether particles are at rest, and how far one moved in the last quarter; None without a record there."""
    middle = int(np.searchsorted(run.times, 0.75 * run.times[-1]))
    if middle >= len(run.positions) - 1:
        return None
    spread = max(float(np.mean(np.var(x, axis=0))) for x in (run.initial, run.final))  # the end may be one point
    scale = np.sqrt(spread) or float(np.max(np.linalg.norm(run.final - run.initial, axis=1))) or 1.0
    most = float(np.max(np.linalg.norm(run.final - run.positions[middle], axis=1)))
    return most <= NEARLY * scale, most
