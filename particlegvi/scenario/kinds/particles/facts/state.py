"""Facts of a run by itself: sizes, moments, loss, weights, free energy, chains, and the verdict."""

from __future__ import annotations

import numpy as np

from particlegvi import diagnostics
from particlegvi.contracts import Array, Facts
from particlegvi.integrators import schedules
from particlegvi.methods import FreeEnergy
from particlegvi.scenario.kinds.facts import are_numbers, fact, is_per_coordinate, is_table
from particlegvi.scenario.kinds.particles import verdict
from particlegvi.scenario.kinds.particles.evidence import Evidence, same_bits
from particlegvi.simulation.run import Run

CHAINS, DRAWS = 100, 100
OVER_TIME = 20  # number of records at which the free energy is computed
FREE_ENERGY_PARTICLES = 2000
PARTS = ("total", "mean_loss", "mmd_part", "kl_part")


@fact(10)
def size(evidence: Evidence) -> Facts:
    """``particles``, ``dim``, ``steps`` and ``step_size``."""
    run = evidence.run
    return {
        "particles": run.particles,
        "dim": run.dim,
        "steps": int(run.steps[-1]),
        "step_size": schedules.plain(run.step_size),
    }


@fact(20, ("mean", "sd"), mean=is_per_coordinate, sd=is_per_coordinate)
def moments(evidence: Evidence) -> Facts:
    """``mean`` and ``sd``: a number in one dimension, a list otherwise."""
    final = evidence.run.final
    scale = 1.0 if evidence.usable else np.abs(final).max()  # so that squares of a run that diverged stay finite
    final = final / scale
    return {"mean": _per_coordinate(scale * final.mean(axis=0)), "sd": _per_coordinate(scale * final.std(axis=0))}


def _per_coordinate(values: Array) -> float | list[float]:
    return float(values[0]) if len(values) == 1 else [float(value) for value in values]


@fact(30)
def average_loss(evidence: Evidence) -> Facts:
    """``average_loss``, at the first and at the last record."""
    loss = evidence.run.average_loss()
    return {"average_loss": {"first": float(loss[0]), "last": float(loss[-1])}}


@fact(40)
def weights(evidence: Evidence) -> Facts:
    """``weights``: the weights of the objective; for a free energy both kl_weight and mmd_weight."""
    method = evidence.run.method
    both = {"kl_weight": method.kl_weight, "mmd_weight": method.mmd_weight}
    has_both = isinstance(method, FreeEnergy)
    return {"weights": {name: float(weight) for name, weight in both.items() if has_both or weight != 0.0}}


@fact(50, run=is_table)
def run_info(evidence: Evidence) -> Facts:
    """``run``: kernel, algorithm, integrator, ...; the seconds are in the manifest only."""
    return {"run": {name: value for name, value in evidence.run.info.items() if name != "seconds"}}


@fact(130, mode_occupancy=are_numbers)
def mode_occupancy(evidence: Evidence) -> Facts:
    """``mode_occupancy``: a count for each mode."""
    if evidence.modes is None or not evidence.usable:
        return {}
    return {"mode_occupancy": diagnostics.mode_occupancy(evidence.run.final, evidence.modes).tolist()}


@fact(140)
def chains(evidence: Evidence) -> Facts:
    """``chains``, for methods with noise; None if there are fewer than eight records."""
    if not evidence.run.method.has_noise or not evidence.usable:
        return {}
    with same_bits():
        return {"chains": _chains(evidence.run)}


def _chains(run: Run) -> Facts | None:
    records = np.flatnonzero(run.times >= 0.5 * run.times[-1])
    if len(records) < 8:
        return None
    records = records[diagnostics.spread_records(len(records), DRAWS)]
    particles = diagnostics.spread_records(run.particles, CHAINS)
    draws = np.array([run.positions[record][particles] for record in records])  # (draws, chains, dim)
    coordinates = [np.ascontiguousarray(draws[:, :, i].T) for i in range(run.dim)]
    return {
        "chains": len(particles),
        "draws": len(records),
        "r_hat": [diagnostics.potential_scale_reduction(one) for one in coordinates],
        "effective_sample_size": [diagnostics.effective_sample_size(one) for one in coordinates],
    }


@fact(150)
def free_energy(evidence: Evidence) -> Facts:
    """``free_energy``: its parts at some records, for more than one particle."""
    run = evidence.run
    if not isinstance(run.method, FreeEnergy) or run.particles < 2 or not evidence.usable:
        return {}
    with same_bits():
        energies = _over_time(run)
        if evidence.has_target("density"):
            exact = diagnostics.target_free_energy(evidence.target, run.loss, run.method, run.prior, run.seed)
            energies["target"] = {name: float(getattr(exact, name)) for name in PARTS}
    return {"free_energy": energies}


def _over_time(run: Run) -> Facts:
    some = diagnostics.spread_records(len(run.positions), OVER_TIME)
    used = diagnostics.spread_records(run.particles, FREE_ENERGY_PARTICLES)
    parts = [
        diagnostics.free_energy(run.positions[record][used], run.loss, run.method, run.prior, run.seed)
        for record in some
    ]
    energies: Facts = {name: [float(getattr(part, name)) for part in parts] for name in PARTS}
    return energies | {
        "times": run.times[some].tolist(), "particles": len(used), "entropy_estimator": parts[-1].entropy_estimator,
    }  # fmt: skip


@fact(160)
def equilibrium(evidence: Evidence) -> Facts:
    """``equilibrium``: the verdict, its rule and remedy, and the drift (`kinds.particles.verdict.equilibrium`)."""
    with same_bits():
        return {"equilibrium": verdict.equilibrium(evidence)}
