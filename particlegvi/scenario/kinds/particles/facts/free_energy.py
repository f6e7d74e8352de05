"""L(Q) and its parts over time, and L(Q*) if Q* has a density."""

from __future__ import annotations

from particlegvi import diagnostics
from particlegvi.contracts import Facts
from particlegvi.methods import FreeEnergy
from particlegvi.scenario.kinds.facts import fact
from particlegvi.scenario.kinds.particles.seen import Seen, same_bits, usable
from particlegvi.simulation.run import Run

OVER_TIME = 20  # number of records at which the free energy is computed
FREE_ENERGY_PARTICLES = 2000
PARTS = ("total", "mean_loss", "mmd_part", "kl_part")


@fact(150)
def free_energy(seen: Seen) -> Facts:
    """``free_energy``: its parts at some records, for more than one particle."""
    run = seen.run
    if not isinstance(run.method, FreeEnergy) or run.particles < 2 or not usable(run):
        return {}
    with same_bits():
        found = _over_time(run)
        if seen.has_target("density"):
            exact = diagnostics.target_free_energy(seen.target, run.loss, run.method, run.prior, run.seed)
            found["target"] = {name: float(getattr(exact, name)) for name in PARTS}
    return {"free_energy": found}


def _over_time(run: Run) -> Facts:
    some = diagnostics.spread_records(len(run.positions), OVER_TIME)
    used = diagnostics.spread_records(run.particles, FREE_ENERGY_PARTICLES)
    parts = [
        diagnostics.free_energy(run.positions[record][used], run.loss, run.method, run.prior, run.seed)
        for record in some
    ]
    found: Facts = {name: [float(getattr(each, name)) for each in parts] for name in PARTS}
    return found | {
        "times": run.times[some].tolist(), "particles": len(used), "entropy_estimator": parts[-1].entropy_estimator,
    }  # fmt: skip
