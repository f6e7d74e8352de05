"""The numbers worth quoting: what ``summary.json`` says. Its keys are documented in docs/results.md and stay.

Means and standard deviations are those of the particles as they are (divided by their number, not by one less): a
number in one dimension, a list otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from particlegvi import diagnostics, schedules
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.kinds.particles import health
from particlegvi.kinds.particles.verdict import equilibrium
from particlegvi.methods import FreeEnergy
from particlegvi.simulation.run import Run
from particlegvi.storage.versions import versions
from particlegvi.tools.quoting import shown

MOST_ATOMS = 64  # with more atoms than this their counts are not listed one by one


def summarise(results: Any) -> dict[str, Any]:
    """The summary of ``Results``, as plain data (numbers that are not finite are None in the file)."""
    return {
        "scenario": results.scenario["name"],
        "seed": results.seed,
        "status": results.status,
        "versions": versions(),
        "methods": {label: results.kind.facts(results, label) for label in results},
    }


def checked(summary: dict[str, Any] | None) -> dict[str, Any] | None:
    """A summary that was read from a file, if what figures and tables rely on is there in the right form.

    Raises
    ------
    ValueError
        If it is not; whoever reads it again and again need not look.
    """
    if summary is None:
        return None
    methods = summary.get("methods")
    if not isinstance(methods, dict) or not {"seed", "status"} <= set(summary):
        raise ValueError("it has no seed, no status or no table of methods")
    for label, found in methods.items():
        if not isinstance(found, dict) or not {"mean", "sd", "target"} <= set(found):
            raise ValueError(f"{shown(label)} has no mean, no sd or no target")
        for name, good in FORMS.items():
            if found.get(name) is not None and not good(found[name]):
                raise ValueError(f"{name} of {shown(label)} is {shown(found[name])}")
    return summary


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1e308


def _numbers(value: Any) -> bool:
    return isinstance(value, list) and all(map(_number, value))


FORMS: dict[str, Callable[[Any], bool]] = {
    "mean": lambda value: _number(value) or _numbers(value),
    "sd": lambda value: _number(value) or _numbers(value),
    "w1": _number,
    "w1_floor": lambda value: _numbers(value) and len(value) == 2,
    "mode_occupancy": _numbers,
    "verdict": lambda value: isinstance(value, str),
    "run": lambda value: isinstance(value, dict),
    "target": lambda value: isinstance(value, dict),
}


def facts(run: Run, target: Any, reason: str | None, modes: Any, start: np.ndarray) -> dict[str, Any]:
    """What the summary says about one method."""
    final = run.final
    loss = run.average_loss()
    found: dict[str, Any] = {
        "particles": run.particles,
        "dim": run.dim,
        "steps": int(run.steps[-1]),
        "step_size": schedules.plain(run.step_size),
        "mean": _per_coordinate(final.mean(axis=0)),
        "sd": _per_coordinate(final.std(axis=0)),
        "average_loss": {"first": float(loss[0]), "last": float(loss[-1])},
        "weights": {
            name: float(weight)
            for name, weight in (("kl_weight", run.method.kl_weight), ("mmd_weight", run.method.mmd_weight))
            if isinstance(run.method, FreeEnergy) or weight != 0.0
        },
        "run": {name: value for name, value in run.info.items() if name != "seconds"},
        "target": {"kind": None, "reason": reason} if target is None else _target(target),
    }
    if target is not None and target.kind == "gaussians":
        found["optima"] = optima(target, start)
    if target is not None and target.kind == "density" and health.usable(run):
        with np.errstate(all="ignore"), one_blas_thread():  # the same bits on any number of cores
            found |= health.against_density(run, target)
    if target is not None and target.kind != "gaussians":
        found |= _distance(final, target, found.get("distances", {}))
    if target is not None and target.kind == "atoms" and len(target.atoms) <= MOST_ATOMS:
        found["basins"] = basins(final, target)
    if modes is not None:
        found["mode_occupancy"] = diagnostics.mode_occupancy(final, modes).tolist()
    with np.errstate(all="ignore"), one_blas_thread():
        if health.is_langevin(run) and health.usable(run):
            found["chains"] = health.chains(run)
        if isinstance(run.method, FreeEnergy) and run.particles > 1 and health.usable(run):
            found["free_energy"] = health.free_energy(run, target)
        found["equilibrium"] = equilibrium(run, target, found)
    return found


def _per_coordinate(values: np.ndarray) -> Any:
    return float(values[0]) if len(values) == 1 else [float(value) for value in values]


def _target(target: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": target.kind}
    for name in ("mean", "variance", "residual", "log_normaliser", "error"):
        value = getattr(target, name, None)
        if value is not None:
            found[name] = np.asarray(value, dtype=np.float64).tolist()
    return found


def _distance(final: np.ndarray, target: Any, known: dict[str, Any]) -> dict[str, Any]:
    """The distance to the truth, the distance that exact draws would have, and what the two say together."""
    name = "w1" if target.dim == 1 else "sliced_w1"
    if name in known and (known[name]["particles"] == len(final) or target.dim > 1):
        distance, (low, high) = known[name]["value"], known[name]["floor"][:2]
    elif target.dim == 1:
        distance = float(diagnostics.wasserstein1(final, target))
        low, high = (float(value) for value in diagnostics.wasserstein1_floor(target, len(final)))
    else:
        return {}
    return {name: distance, f"{name}_floor": [low, high], "verdict": verdict(distance, high)}


def verdict(distance: float, floor: float) -> str:
    """In words, what a distance says beside the 95% quantile of the distances of as many exact draws."""
    if distance <= floor:
        return "as close as exact draws"
    if distance <= 1.5 * floor:
        return "nearly as close as exact draws"
    return "farther than exact draws"


def optima(target: Any, start: np.ndarray) -> dict[str, Any]:
    """FD-GVI's local optima, and the place in that list of the one that a descent from ``start`` reaches (or None)."""
    reached = target.basin_of(start)
    return {
        "all": [{name: np.asarray(value).tolist() for name, value in each._asdict().items()} for each in target.optima],
        "reached": None if reached is None else int(reached),
    }


def basins(final: np.ndarray, target: Any) -> list[dict[str, Any]]:
    """How many particles lie nearest to each atom, beside the limits of a binomial count with the atom's weight."""
    atoms = np.asarray(target.atoms, dtype=np.float64)
    nearest = np.zeros(len(final), dtype=np.int64)
    distance = np.full(len(final), np.inf)
    for index, atom in enumerate(atoms):  # one atom at a time: a table of all would not fit for a million particles
        here = np.sqrt(((final - atom) ** 2).sum(axis=1))
        nearest = np.where(here < distance, index, nearest)
        distance = np.minimum(here, distance)
    return [
        {
            "atom": atom.tolist(),
            "weight": float(weight),
            "count": int((nearest == index).sum()),
            "limits": [int(limit) for limit in diagnostics.binomial_limits(len(final), float(weight))],
            "farthest": float(distance[nearest == index].max(initial=0.0)),
        }
        for index, (atom, weight) in enumerate(zip(atoms, target.weights, strict=True))
    ]
