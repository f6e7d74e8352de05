"""The target Q* of each run, computed when it is first needed, and how far a flow without noise has come to its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlegvi import diagnostics, targets
from particlegvi.contracts import Array, Target
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.priors import Flat
from particlegvi.scenario.kinds.particles.building import Parts
from particlegvi.simulation.run import Run
from particlegvi.targets import AtomicTarget
from particlegvi.targets.basins.minima import Landscape, velocity
from particlegvi.targets.draws import Draws


class Solved(NamedTuple):
    """A target; where there is none, the reason."""

    target: Target | None
    reason: str = ""


class RunTargets(Mapping[str, Any]):
    """The target of every run by label; None if there is none, and then ``reasons`` has a sentence that says why.

    Equal targets are taken from ``before``, the targets of runs of these parts with another seed.
    """

    def __init__(self, runs: Mapping[str, Run], parts: Parts, before: RunTargets | None = None) -> None:
        self._runs = runs
        self._parts = parts
        self._reference = None if parts.reference is None else Draws(parts.reference)  # the truth of every method
        # by label, and the lengthscale if a rule chooses it for each seed
        self.solved: dict[tuple[str, object], Solved] = {} if before is None else dict(before.solved)

    def __getitem__(self, label: str) -> Any:
        return self.of(label).target

    @property
    def reasons(self) -> dict[str, str]:
        """The reason by label, for the runs that have no target."""
        return {label: self.of(label).reason for label in self._runs if self.of(label).reason}

    def of(self, label: str) -> Solved:
        """The target of a run, or the reason why it has none."""
        run = self._runs[label]
        if self._reference is not None:
            return Solved(self._reference)
        lengthscale: object = None
        if run.method.mmd_weight != 0.0:
            number = run.info.get("lengthscale")
            lengthscale = number if isinstance(number, int | float) else f"of seed {run.seed}"
        if (label, lengthscale) not in self.solved:
            self.solved[label, lengthscale] = self._solve(run)
        return self.solved[label, lengthscale]

    def _solve(self, run: Run) -> Solved:
        try:
            with one_blas_thread():  # so that the last digits do not depend on the number of processors
                return Solved(targets.target(run.loss, run.method, run.prior, self.start(run), seed=run.seed))
        except ValueError as error:
            return Solved(None, str(error))

    def start(self, run: Run) -> Any:
        """The start of the particles: a distribution, or points (particles, dim)."""
        if isinstance(run.prior, Flat):  # the steps of an ensemble find their own start
            return run.initial if self._parts.initial is None else self._parts.initial
        return run.prior if self._parts.initial is None else self._parts.initial

    def first_start(self, run: Run) -> NDArray[np.float64]:
        """The start of the first particle, (dim,): FD-GVI puts the mean of its first Gaussian there."""
        start = self.start(run)
        return start[0] if isinstance(start, np.ndarray) else start.sample(1, seed=run.seed)[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)


CONVERGED = 1e-6  # limit relative to the largest gradient at the start, or to the longest way of a particle
NEARLY = 0.02  # limit relative to the longest way of a particle


class Descent(NamedTuple):
    """A deep ensemble beside the minima that its starts flow to."""

    arrived: bool  # every particle is near a minimum
    exactly: bool  # to a millionth of the way, or of the first gradient
    unlikely: str  # a minimum with a count outside the limits of chance, in words
    counted: NDArray[np.bool_]  # (n,): all but those in minima that the target leaves out
    left: str  # the largest remaining gradient, and the farthest particle from its minimum, in words
    since: float | None  # the first recorded time from which on every particle stays near its end


def descent(run: Run, target: AtomicTarget) -> Descent:
    """The descent of a run, but for particles in minima that the target leaves out, if its error allows so many."""
    land = Landscape(run.loss.value, run.loss.gradient, run.prior.low, run.prior.high, 1.0)
    slope = np.linalg.norm(velocity(land, np.ascontiguousarray(run.final)), axis=1)
    first = float(np.max(np.linalg.norm(velocity(land, np.ascontiguousarray(run.initial)), axis=1)))
    away, nearest = _nearest(target.atoms, run.final)
    scale = float(np.max(np.linalg.norm(run.final - run.initial, axis=1))) or 1.0
    rare = (away > NEARLY * scale) & (slope <= CONVERGED * first)
    most = diagnostics.binomial_limits(run.particles, min(target.error, 1.0), 0.999)[1]
    few = 0 < np.count_nonzero(rare) <= min(most, run.particles - 1)
    known = ~rare if few else np.full(run.particles, True)
    steepest, farthest = float(np.max(slope)), float(np.max(away[known]))
    left = f"largest remaining gradient {steepest:.1e}, farthest particle {farthest:.1e} from a minimum"
    if few:
        number = np.count_nonzero(rare)
        left += (
            f"; {number} more {'is' if number == 1 else 'are'} in small basins that are not listed, which hold at most"
            f" {target.error:.1g} of the start"
        )
    exactly = steepest <= CONVERGED * max(first, 1e-300) or farthest <= CONVERGED * scale
    arrived, unlikely = farthest <= NEARLY * scale, _unlikely(nearest[known], target, run.particles)
    since = _near_since(run, NEARLY * scale) if arrived else None
    return Descent(arrived, exactly, unlikely, known, left, since)


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


def _near_since(run: Run, near: float) -> float | None:
    if len(run.positions) < 3:
        return None
    for record in range(len(run.positions) - 2, -1, -1):
        if np.max(np.linalg.norm(run.positions[record] - run.final, axis=1)) > near:
            return float(run.times[record + 1])
    return float(run.times[0])


class Movement(NamedTuple):
    """How far a particle moved at most in the last quarter, and whether that is rest."""

    farthest: float
    is_rest: bool


def last_movement(run: Run) -> Movement | None:
    """The movement in the last quarter; None without a record there."""
    middle = int(np.searchsorted(run.times, 0.75 * run.times[-1]))
    if middle >= len(run.positions) - 1:
        return None
    spread = max(float(np.mean(np.var(x, axis=0))) for x in (run.initial, run.final))  # the end may be one point
    scale = np.sqrt(spread) or float(np.max(np.linalg.norm(run.final - run.initial, axis=1))) or 1.0
    farthest = float(np.max(np.linalg.norm(run.final - run.positions[middle], axis=1)))
    return Movement(farthest, farthest <= NEARLY * scale)
