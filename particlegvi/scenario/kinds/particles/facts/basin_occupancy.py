"""Counts of particles in each basin of a density, with the limits of chance."""

from __future__ import annotations

import numpy as np

from particlegvi import diagnostics
from particlegvi.contracts import Facts
from particlegvi.scenario.kinds.facts import fact
from particlegvi.scenario.kinds.particles.seen import Seen, same_bits, usable
from particlegvi.simulation.run import Run

MOST_BASINS = 64


@fact(100)
def basin_occupancy(seen: Seen) -> Facts:
    """``basin_occupancy``: number of basins, particles that changed basin in the second half, counts per basin."""
    run = seen.run
    if not seen.has_target("density") or not usable(run):
        return {}
    with same_bits():
        basins = diagnostics.Basins(seen.target)
        return {"basin_occupancy": _occupancy(run, basins)} if len(basins.modes) > 1 else {}


def _occupancy(run: Run, basins: diagnostics.Basins) -> Facts:
    halfway = int(np.searchsorted(run.times, 0.5 * run.times[-1]))
    last = basins.of(run.final)
    earlier = basins.of(run.positions[halfway if halfway < len(run.positions) - 1 else 0])
    number = len(basins.modes)
    found: Facts = {"basins": number, "changed": int(np.sum(earlier != last))}
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
