"""The settings of the run: the method with its weights, the sizes, and what the run states about itself."""

from __future__ import annotations

from particlegvi.contracts import Facts
from particlegvi.integrators import schedules
from particlegvi.scenario.kinds.facts import fact, is_table
from particlegvi.scenario.kinds.networks.run import NetworkRun

REASON = "networks have too many parameters for a density; their predictions are compared instead"


@fact(10, ("method", "particles", "dim", "run"), run=is_table, weights=is_table)
def ensemble(run: NetworkRun) -> Facts:
    """Method, weights and sizes; ``target`` with the reason why there is none; ``run`` without its seconds."""
    return {
        "method": run.method.label,
        "weights": {"kl_weight": float(run.method.kl_weight), "mmd_weight": float(run.method.mmd_weight)},
        "particles": run.particles,
        "dim": run.dim,
        "observations": run.network_loss.rows,
        "steps": int(run.steps[-1]),
        "step_size": schedules.plain(run.step_size),
        "target": {"kind": None, "reason": REASON},
        "w1": None,
        "run": {name: value for name, value in run.info.items() if name != "seconds"},
    }
