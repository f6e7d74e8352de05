"""Facts of a run beside its target Q*: distances, energy, and the counts of particles by basin."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from particlegvi import diagnostics
from particlegvi.contracts import Array, Facts
from particlegvi.diagnostics.equilibrium import earlier_record
from particlegvi.kernels import SquaredExponential
from particlegvi.scenario.kinds.facts import fact, is_interval, is_number, is_table, is_text
from particlegvi.scenario.kinds.particles.evidence import SETTLED, Evidence, same_bits
from particlegvi.simulation.run import Run
from particlegvi.targets import AtomicTarget
from particlegvi.tools.objects import has_walls

NAMES = ("mean", "variance", "residual", "log_normaliser", "error", "missed")
MOST_BASINS = 64
MOST_ATOMS = 64  # the counts of more atoms are not listed one by one


@fact(60, ("target",), target=is_table)
def target(evidence: Evidence) -> Facts:
    """``target``: its ``kind`` and the numbers of this kind of target; the ``reason`` if there is no target."""
    if evidence.target is None:
        return {"target": {"kind": None, "reason": evidence.reason}}
    facts: Facts = {"kind": evidence.target.kind}
    for name in NAMES:
        value = getattr(evidence.target, name, None)
        if value is not None:
            facts[name] = np.asarray(value, dtype=np.float64).tolist()
    return {"target": facts}


@fact(70)
def optima(evidence: Evidence) -> Facts:
    """``optima``: ``all``, and ``reached``, the place in it of the optimum that a descent from the start finds."""
    if not evidence.has_target("gaussians"):
        return {}
    reached = evidence.target.basin_of(evidence.start)
    every = evidence.target.optima
    return {
        "optima": {
            "all": [
                {name: np.asarray(value).tolist() for name, value in optimum._asdict().items()} for optimum in every
            ],
            "reached": None if reached is None else int(reached),
        }
    }


@fact(80)
def distances(evidence: Evidence) -> Facts:
    """``distances``: by name ``value``, ``floor`` (quantiles for as many exact draws) and the ``particles`` used."""
    run, target = evidence.run, evidence.target
    if evidence.has_target("draws") and evidence.usable:
        with same_bits():
            return {"distances": _as_table(diagnostics.distances_to_draws(run.final, target.draws, run.seed))}
    if not evidence.has_target("density") or not evidence.usable:
        return {}
    with same_bits():
        lengthscale = float(np.sqrt(np.mean(target.variance)))
        if not np.isfinite(lengthscale):
            return {}
        score = None
        if run.method.kl_weight > 0.0 and not has_walls(run.prior.low, run.prior.high):
            score = diagnostics.target_score(target, run.loss, run.method, run.prior)
        by_name = diagnostics.distances(run.final, target, SquaredExponential(lengthscale), score, run.seed)
    return {"distances": _as_table(by_name)}


def _as_table(by_name: dict[str, diagnostics.Distance]) -> Facts:
    return {
        name: {"value": distance.value, "floor": list(distance.floor), "particles": distance.particles}
        for name, distance in by_name.items()
    }


@fact(90)
def excess_energy(evidence: Evidence) -> Facts:
    """``excess_energy``: mean, expected mean, and their difference in standard errors."""
    run = evidence.run
    if not evidence.has_target("density") or not evidence.usable or run.method.kl_weight <= 0.0:
        return {}
    with same_bits():
        excess = diagnostics.excess_energy(run.final, evidence.target, float(run.method.kl_weight))
        return {"excess_energy": excess._asdict() | {"deviation": excess.deviation}}


@fact(100)
def basin_occupancy(evidence: Evidence) -> Facts:
    """``basin_occupancy``: number of basins, particles that changed basin late in the run, counts per basin."""
    run = evidence.run
    if not evidence.has_target("density") or not evidence.usable:
        return {}
    with same_bits():
        basins = evidence.basins
        return {"basin_occupancy": _occupancy(run, basins)} if len(basins.modes) > 1 else {}


def _occupancy(run: Run, basins: diagnostics.Basins) -> Facts:
    last = basins.of(run.final)
    halfway, settled = (basins.of(run.positions[earlier_record(run.times, share)]) for share in (0.5, SETTLED))
    number = len(basins.modes)
    changed, crossed = (int(np.sum(earlier != last)) for earlier in (halfway, settled))
    occupancy: Facts = {"basins": number, "changed": changed, "crossed": crossed}
    if number <= MOST_BASINS:
        level = 1.0 - 0.001 / number
        occupancy |= {
            "modes": basins.modes.tolist(),
            "counts": np.bincount(last, minlength=number).tolist(),
            "start": basins.counts(run.initial).tolist(),
            "target": basins.masses.tolist(),
            "limits": [list(diagnostics.binomial_limits(run.particles, min(m, 1.0), level)) for m in basins.masses],
        }
    return occupancy


@fact(110, w1=is_number, w1_floor=is_interval, verdict=is_text)
def distance(evidence: Evidence) -> Facts:
    """``w1`` on the line or ``sliced_w1`` in the plane, its ``_floor`` under exact draws, and the ``verdict``."""
    target, final = evidence.target, evidence.run.final
    if not evidence.has_target("density", "atoms", "draws"):
        return {}
    known = evidence.found.get("distances", {})
    name = "w1" if target.dim == 1 else "sliced_w1"
    if name in known and (known[name]["particles"] == len(final) or target.dim > 1 or target.kind == "draws"):
        value, (low, high) = known[name]["value"], known[name]["floor"][:2]
    elif target.dim == 1:
        value = float(diagnostics.wasserstein1(final, target))
        low, high = (float(quantile) for quantile in diagnostics.wasserstein1_floor(target, len(final)))
    else:
        return {}
    words = {} if target.kind == "atoms" and len(target.atoms) == 1 else {"verdict": verdict(value, high)}
    return {name: value, f"{name}_floor": [low, high], **words}  # all exact draws of a point mass are one point


def verdict(value: float, high: float) -> str:
    """A distance in words, compared with the 95% quantile of the distances of as many exact draws."""
    if value <= high:
        return "as close as exact draws"
    if value <= 1.5 * high:
        return "nearly as close as exact draws"
    return "farther than exact draws"


@fact(120)
def basins(evidence: Evidence) -> Facts:
    """``basins``: for each atom its weight, the count, and the limits of a binomial count with that weight."""
    if not evidence.usable or not evidence.has_target("atoms") or len(evidence.target.atoms) > MOST_ATOMS:
        return {}
    return {"basins": counts(evidence.run.final, evidence.target, evidence.descent.counted)}


def counts(final: Array, target: AtomicTarget, counted: NDArray[np.bool_]) -> list[Facts]:
    """The entries of ``basins`` for final particles (particles, dim); those that do not count are in other basins."""
    atoms = np.asarray(target.atoms, dtype=np.float64)
    nearest = np.zeros(len(final), dtype=np.int64)
    distance = np.full(len(final), np.inf)
    for index, atom in enumerate(atoms):  # one atom at a time: all distances of a million particles would not fit
        here = np.sqrt(((final - atom) ** 2).sum(axis=1))
        nearest = np.where(here < distance, index, nearest)
        distance = np.minimum(here, distance)
    nearest = np.where(counted, nearest, -1)
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
