"""What a summary says about a run's closeness to its truth: distances, energies, basins, chains, and all over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlegvi import diagnostics
from particlegvi.diagnostics.particles import reference
from particlegvi.diagnostics.sliced import DIRECTIONS
from particlegvi.kernels import SquaredExponential
from particlegvi.methods import FreeEnergy
from particlegvi.simulation.run import Run

HUGE = 1e100
MOST_BASINS = 64
OVER_TIME = 20  # records at which the free energy is taken
FREE_ENERGY_PARTICLES = 2000
CHAINS, DRAWS = 100, 100
SERIES = 40  # records at which a distance is taken
IN_SERIES = 500  # particles for it
PAIRED = 2000  # points that stand for a target in the plane there


def usable(run: Run) -> bool:
    """Whether the final particles are numbers whose squares are: not those of a run that diverged."""
    return bool(np.all(np.abs(run.final) < HUGE))


def is_langevin(run: Run) -> bool:
    """Whether particles move with noise, so that each of them is a chain."""
    return isinstance(run.method, FreeEnergy) and run.method.kl_weight > 0.0


def against_density(run: Run, target: Any) -> dict[str, Any]:
    """Keys of the summary for a target with a density."""
    final, temperature = run.final, float(getattr(run.method, "kl_weight", 0.0))
    score = None
    if temperature > 0.0 and not np.any(np.isfinite(run.prior.low) | np.isfinite(run.prior.high)):
        score = diagnostics.target_score(target, run.loss, run.method, run.prior)
    lengthscale = float(np.sqrt(np.mean(target.variance)))
    found: dict[str, Any] = {}
    if np.isfinite(lengthscale):
        distances = diagnostics.distances(final, target, SquaredExponential(lengthscale), score, run.seed)
        found["distances"] = {
            name: {"value": each.value, "floor": list(each.floor), "particles": each.particles}
            for name, each in distances.items()
        }
    if temperature > 0.0:
        excess = diagnostics.excess_energy(final, target, temperature)
        found["excess_energy"] = excess._asdict() | {"deviation": excess.deviation}
    basins = diagnostics.Basins(target)
    if len(basins.modes) > 1:
        found["basin_occupancy"] = _occupancy(run, basins)
    return found


def _occupancy(run: Run, basins: Any) -> dict[str, Any]:
    halfway = int(np.searchsorted(run.times, 0.5 * run.times[-1]))
    last = basins.of(run.final)
    earlier = basins.of(run.positions[halfway if halfway < len(run.positions) - 1 else 0])
    number = len(basins.modes)
    found: dict[str, Any] = {"basins": number, "changed": int(np.sum(earlier != last))}
    if number <= MOST_BASINS:
        level = 1.0 - 0.001 / number
        found |= {
            "modes": basins.modes.tolist(),
            "counts": np.bincount(last, minlength=number).tolist(),
            "start": basins.counts(run.initial).tolist(),
            "target": basins.masses.tolist(),
            "limits": [list(diagnostics.binomial_limits(run.particles, min(m, 1.0), level)) for m in basins.masses],
        }
    return found


def chains(run: Run) -> dict[str, Any] | None:
    """R-hat and effective sample size of the particles as chains, over the second half of the time."""
    records = np.flatnonzero(run.times >= 0.5 * run.times[-1])
    if len(records) < 8:
        return None
    records = records[diagnostics.spread_records(len(records), DRAWS)]
    particles = diagnostics.spread_records(run.particles, CHAINS)
    draws = np.array([run.positions[record][particles] for record in records])  # (draws, chains, dim)
    each = [np.ascontiguousarray(draws[:, :, i].T) for i in range(run.dim)]
    return {
        "chains": len(particles),
        "draws": len(records),
        "r_hat": [diagnostics.potential_scale_reduction(one) for one in each],
        "effective_sample_size": [diagnostics.effective_sample_size(one) for one in each],
    }


def free_energy(run: Run, target: Any) -> dict[str, Any]:
    """L(Q) and its parts at some records, and L(Q*) where Q* has a density."""
    some = diagnostics.spread_records(len(run.positions), OVER_TIME)
    used = diagnostics.spread_records(run.particles, FREE_ENERGY_PARTICLES)
    parts = [
        diagnostics.free_energy(run.positions[record][used], run.loss, run.method, run.prior, run.seed)
        for record in some
    ]
    found: dict[str, Any] = {
        name: [float(getattr(each, name)) for each in parts] for name in ("total", "mean_loss", "mmd_part", "kl_part")
    }
    found |= {
        "times": run.times[some].tolist(), "particles": len(used), "entropy_estimator": parts[-1].entropy_estimator,
    }  # fmt: skip
    if target is not None and target.kind == "density":
        exact = diagnostics.target_free_energy(target, run.loss, run.method, run.prior, run.seed)
        found["target"] = {name: float(getattr(exact, name)) for name in ("total", "mean_loss", "mmd_part", "kl_part")}
    return found


def since(run: Run, target: Any, distance: Any) -> float | None:
    """The time from which on the particles are as close to their target as exact draws (99%), or None."""
    if len(run.positions) < 3:
        return None
    records = diagnostics.spread_records(len(run.positions), SERIES)
    used = diagnostics.spread_records(run.particles, IN_SERIES)
    points, worth = reference(target, PAIRED, run.seed)
    floor = distance["floor"][2]
    if target.dim > 1:  # it falls with the root of the number, and the points are a sample themselves
        floor *= np.sqrt(distance["particles"] / len(used) * (1.0 + len(used) / worth))
    elif distance["particles"] != len(used):
        floor = diagnostics.wasserstein1_floor(target, len(used), (0.99,), seed=run.seed)[0]
    directions = 1 if target.dim == 1 else DIRECTIONS
    far = [diagnostics.sliced_wasserstein(run.positions[record][used], points, 1, directions) for record in records]
    return diagnostics.time_to_equilibrium(run.times[records], far, floor)
