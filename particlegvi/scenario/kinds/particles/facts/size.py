"""Numbers of particles, dimensions and steps."""

from __future__ import annotations

from particlegvi.contracts import Facts
from particlegvi.integrators import schedules
from particlegvi.scenario.kinds.facts import fact
from particlegvi.scenario.kinds.particles.seen import Seen


@fact(10)
def size(seen: Seen) -> Facts:
    """``particles``, ``dim``, ``steps`` and ``step_size``."""
    run = seen.run
    return {
        "particles": run.particles,
        "dim": run.dim,
        "steps": int(run.steps[-1]),
        "step_size": schedules.plain(run.step_size),
    }
