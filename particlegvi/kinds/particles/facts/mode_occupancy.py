"""How many particles are nearest to each of the modes that a scenario names."""

from __future__ import annotations

from typing import Any

from particlegvi import diagnostics
from particlegvi.kinds.facts import are_numbers, fact
from particlegvi.kinds.particles.seen import Seen


@fact(130, mode_occupancy=are_numbers)
def mode_occupancy(seen: Seen) -> dict[str, Any]:
    """``mode_occupancy``: a count for each mode."""
    if seen.modes is None:
        return {}
    return {"mode_occupancy": diagnostics.mode_occupancy(seen.run.final, seen.modes).tolist()}
