"""The input of the facts of one run of particles, and what the rules of its verdict compare."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlegvi import diagnostics
from particlegvi.contracts import Array, Facts
from particlegvi.diagnostics.equilibrium import earlier_record
from particlegvi.diagnostics.outliers import HUGE, escaped, misplaced_in_words, problem_scale
from particlegvi.diagnostics.particles import reference
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.scenario.kinds.particles.truth import Descent, descent, last_movement
from particlegvi.simulation.run import Run
from particlegvi.targets import unfound

SHORT = 0.1  # a run is short if particles move less than this share of the squared distance of independent draws
STUCK = 0.05  # a run is metastable if a smaller share of particles has changed basin
SETTLED = 0.1  # share of the time after which particles have come to rest in a basin
UNMOVED = 100  # a particle at exactly the same place after so many steps counts as stuck
SERIES = 40  # number of records at which a distance is computed
IN_SERIES = 500  # number of particles for each of these distances
PAIRED = 2000  # number of points that represent a target in the plane for these distances


class TargetDistance(NamedTuple):
    """The distance of a run to its target, and the 99% quantile of that of as many exact draws."""

    value: float
    of_draws: float


@dataclass
class Evidence:
    """A run with its target and its start. The properties after ``found`` are computed when they are first asked for.

    Words are empty where there is nothing to say.
    """

    run: Run
    target: Any  # the minimiser of the method's objective, if there is one
    reason: str | None  # the reason if there is no target
    modes: Any  # the points of the scenario whose neighbourhoods are counted
    start: Array  # (dim,): start of the first particle
    found: Facts  # the keys of the facts computed before

    def has_target(self, *kinds: str) -> bool:
        """Whether there is a target of one of these kinds."""
        return self.target is not None and self.target.kind in kinds

    @cached_property
    def kind(self) -> str:
        """The rules that judge the run: "gaussians", "atoms", "density", "noise" or "silent"."""
        if self.has_target("gaussians", "atoms"):
            return str(self.target.kind)
        if self.target is not None and "distances" in self.found:
            return "density"
        return "noise" if self.run.method.has_noise else "silent"

    @cached_property
    def escaped(self) -> int:
        """The number of particles that have left every scale of the problem and grow."""
        scale = problem_scale(self.run.initial, self.run.prior, _ends(self.target, self.run.dim))
        return int(np.sum(escaped(self.run.positions, self.run.times, scale)))

    @cached_property
    def usable(self) -> bool:
        """Whether the run has not diverged: at most half of the particles have escaped, and none beyond 1e100."""
        return bool(np.all(np.abs(self.run.final) < HUGE)) and 2 * self.escaped <= self.run.particles

    @cached_property
    def moving(self) -> Any:
        """The largest drift over the second half, or None."""
        return diagnostics.drift(self.run.positions, self.run.times, self.run.loss)

    @cached_property
    def descent(self) -> Descent:
        """How far a deep ensemble has come."""
        return descent(self.run, self.target)

    @cached_property
    def movement(self) -> Any:
        """The `Movement` of particles without noise; None without a record."""
        return last_movement(self.run)

    @cached_property
    def distance(self) -> TargetDistance:
        """The (sliced) W1 to the target."""
        known = self.found["distances"]["w1" if self.target.dim == 1 else "sliced_w1"]
        return TargetDistance(known["value"], known["floor"][2])

    @cached_property
    def measured(self) -> str:
        """The distance in words."""
        name = "W1" if self.target.dim == 1 else "sliced W1"
        return f"{name} {self.distance.value:.3g}, where 99% of exact draws stay below {self.distance.of_draws:.3g}"

    @cached_property
    def near(self) -> str:
        """How near a run is whose distance is not beyond its limit."""
        within = self.distance.value <= self.distance.of_draws
        return "within chance of Q*" if within else "near Q*, farther than chance allows in 99 of 100 cases"

    @cached_property
    def basins(self) -> diagnostics.Basins:
        """The basins of a target with a density."""
        return diagnostics.Basins(self.target)

    @cached_property
    def wrong_shares(self) -> str:
        """The basin with the count farthest outside the limits of chance, in words."""
        occupancy = self.found.get("basin_occupancy") or {}
        worst, text = 0.0, ""
        columns = (occupancy.get(key, ()) for key in ("modes", "counts", "target", "limits"))
        for mode, count, mass, (low, high) in zip(*columns, strict=True):
            outside = max(low - count, count - high)
            if outside > worst:
                where, total = ", ".join(f"{at:.3g}" for at in mode), sum(occupancy["counts"])
                worst = outside
                text = f"{count} of {total} particles around ({where}), where {mass * total:.4g} are due"
        return text

    @cached_property
    def stuck(self) -> str:
        """How few particles have changed basin, in words. Jumps determine the shares, even with few basins."""
        occupancy = self.found.get("basin_occupancy")
        if not occupancy or "jumps" in self.run.info or occupancy["changed"] > STUCK * self.run.particles:
            return ""
        return f"{occupancy['changed'] or 'none'} of {self.run.particles} particles changed basin{self._late}"

    @cached_property
    def crossed(self) -> bool:
        """Whether many particles have changed basin after they had come to rest in one: noise has set the shares.

        Where nearly all of the target lies in one basin, few change it at equilibrium.
        """
        return bool(self.found.get("basin_occupancy", {}).get("crossed", 0) > STUCK * self.run.particles)

    @cached_property
    def held(self) -> str:
        """The particles that have not moved in the second half: a Metropolis step may refuse for ever."""
        run, halfway = self.run, self._earlier
        if not run.method.has_noise or not halfway or run.steps[-1] - run.steps[halfway] < UNMOVED:
            return ""
        number = int(np.sum(np.all(run.positions[halfway] == run.final, axis=1)))
        return f"{number} of {run.particles} particles did not move in the second half" if number else ""

    @cached_property
    def slow(self) -> str:
        """A sentence if particles moved, in the second half, less than a tenth of the distance of independent draws.

        For independent draws E|x - x'|^2 is 2 var. An Ornstein-Uhlenbeck process moves by a tenth of this in a tenth of
        its relaxation time. Particles that stay in their basins are compared with draws from their own basin: they have
        had the time to come to rest there, or nothing can be said of them yet.
        """
        run = self.run
        if not run.method.has_noise or run.particles < 2:
            return ""
        moved = float(np.mean(np.sum((run.final - run.positions[self._earlier]) ** 2, axis=1)))
        where = self.basins.of(run.final) if self.stuck else np.zeros(run.particles, dtype=np.intp)
        draws = 2.0 * _variance_within(run.final, where)
        if moved >= SHORT * draws:
            return ""
        return (
            f"particles moved by {np.sqrt(moved / draws):.2g} times their distance from each other"
            f"{' in their basin' if self.stuck else ''}{self._late}"
        )

    @cached_property
    def _earlier(self) -> int:
        return earlier_record(self.run.times)

    @cached_property
    def _late(self) -> str:
        return " in the second half" if len(self.run.positions) > 2 else ""

    @cached_property
    def beyond(self) -> str:
        """A distance or another diagnostic that is beyond its limit, in words.

        For example, a few distant particles change the excess energy, but hardly W1. A distance is beyond its limit
        from 1.5 times the value that 99% of exact draws stay below; the excess energy from four standard errors (with
        Cornish and Fisher's correction for the skewness of one Gaussian mode on the line, 2.5 sqrt(8/n)) and a fiftieth
        of its standard deviation. A diagnostic that is not a number is beyond.
        """
        if not self.distance.value <= 1.5 * self.distance.of_draws:
            return self.measured
        excess, number = self.found.get("excess_energy"), self.run.particles
        limit = max(4.0 + 7.1 / np.sqrt(number), 0.02 * np.sqrt(number))
        if excess is not None and not abs(excess["deviation"]) <= limit:
            return (
                f"the mean excess energy is {excess['mean']:.3g} where {excess['expected']:.3g} is expected,"
                f" {abs(excess['deviation']):.1f} standard errors {'above' if excess['deviation'] > 0.0 else 'below'}"
            )
        names = {"ksd": "the kernel Stein discrepancy", "ks": "the Kolmogorov-Smirnov distance"}
        if self.has_target("draws"):
            names |= {"energy": "the energy distance", "mmd": "the MMD"}
        for name, words in names.items():
            known = self.found["distances"].get(name)
            if known is not None and not known["value"] <= 1.5 * known["floor"][2]:
                return f"{words} is {known['value']:.3g}, where 99% of exact draws stay below {known['floor'][2]:.3g}"
        return ""

    @cached_property
    def misplaced(self) -> str:
        """Particles where the target has no mass, or in a well that its quadrature missed, in words."""
        return misplaced_in_words(self.run.final, self.target) if self.has_target("density") else ""

    @cached_property
    def unfound(self) -> str:
        """How much of the target's mass its search for wells may have missed, in words, if that is notable."""
        missed = self.target.missed if self.has_target("density") else None
        return "" if missed is None else unfound(missed)

    @cached_property
    def too_few(self) -> bool:
        """Whether so few particles can be anywhere."""
        return bool(1.5 * self.distance.of_draws > np.sqrt(np.mean(self.target.variance)))

    @cached_property
    def since(self) -> float | None:
        """The time from which on the particles are as close to their target as exact draws (99%), or None."""
        run, target = self.run, self.target
        if len(run.positions) < 3:
            return None
        distance = self.found["distances"]["w1" if target.dim == 1 else "sliced_w1"]
        records = diagnostics.spread_records(len(run.positions), SERIES)
        used = diagnostics.spread_records(run.particles, IN_SERIES)
        points, worth = reference(target, PAIRED, run.seed)
        floor = distance["floor"][2]
        # the distance falls with the root of the number, and the target's points are a sample, too
        if target.dim > 1 or target.kind == "draws":
            floor *= np.sqrt(distance["particles"] / len(used) * (1.0 + len(used) / worth))
        elif distance["particles"] != len(used):
            floor = diagnostics.wasserstein1_floor(target, len(used), (0.99,), seed=run.seed)[0]
        far = [diagnostics.sliced_wasserstein(run.positions[k][used], points) for k in records]
        return diagnostics.time_to_equilibrium(run.times[records], far, floor)


def _variance_within(x: Array, where: NDArray[np.intp]) -> float:
    """The mean squared distance of particles (n, dim) from the mean of their basin; of all if each is alone in its."""
    counts = np.maximum(np.bincount(where), 1)
    means = np.stack([np.bincount(where, column) / counts for column in x.T], axis=1)
    within = float(np.mean(np.sum((x - means[where]) ** 2, axis=1)))
    return within or float(np.sum(np.var(x, axis=0)))


def _ends(target: Any, dim: int) -> Array:
    """Points (n, dim) at the ends of a target; none without a target."""
    if target is None:
        return np.empty((0, dim))
    if target.kind == "density":
        return np.array(target.support, dtype=np.float64).reshape(2, dim)
    if target.kind == "atoms":
        return np.asarray(target.atoms)
    if target.kind == "draws":
        return np.asarray(target.draws).reshape(-1, dim)
    return np.array([optimum.mean + side * optimum.sd for optimum in target.optima for side in (-1.0, 1.0)])


@contextmanager
def same_bits() -> Iterator[None]:
    """Compute without warnings, and with one thread of the linear algebra: the same bits on any number of cores."""
    with np.errstate(all="ignore"), one_blas_thread():
        yield
