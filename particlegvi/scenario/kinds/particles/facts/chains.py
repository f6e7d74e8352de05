"""R-hat and effective sample size of the particles as chains, over the second half of the time."""

from __future__ import annotations

import numpy as np

from particlegvi import diagnostics
from particlegvi.contracts import Facts
from particlegvi.scenario.kinds.facts import fact
from particlegvi.scenario.kinds.particles.seen import Seen, same_bits, usable
from particlegvi.simulation.run import Run

CHAINS, DRAWS = 100, 100


@fact(140)
def chains(seen: Seen) -> Facts:
    """``chains``, for methods with noise; None if there are fewer than eight records."""
    if not seen.run.method.has_noise or not usable(seen.run):
        return {}
    with same_bits():
        return {"chains": _chains(seen.run)}


def _chains(run: Run) -> Facts | None:
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
