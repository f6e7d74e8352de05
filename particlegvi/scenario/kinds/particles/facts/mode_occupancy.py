"""Counts of particles nearest to each of the modes that a scenario names."""

from __future__ import annotations

from particlegvi import diagnostics
from particlegvi.contracts import Facts
from particlegvi.scenario.kinds.facts import are_numbers, fact
from particlegvi.scenario.kinds.particles.seen import Seen


@fact(130, mode_occupancy=are_numbers)
def mode_occupancy(seen: Seen) -> Facts:
    """``mode_occupancy``: a count for each mode."""
    if seen.modes is None:
        return {}
    return {"mode_occupancy": diagnostics.mode_occupancy(seen.run.final, seen.modes).tolist()}
