"""Whether the run has reached its equilibrium."""

from __future__ import annotations

from particlegvi.contracts import Facts
from particlegvi.scenario.kinds.facts import fact
from particlegvi.scenario.kinds.particles import verdict
from particlegvi.scenario.kinds.particles.seen import Seen, same_bits


@fact(160)
def equilibrium(seen: Seen) -> Facts:
    """``equilibrium``: ``reached``, ``since``, ``verdict`` and ``drift`` (`kinds.particles.verdict`)."""
    with same_bits():
        return {"equilibrium": verdict.equilibrium(seen.run, seen.target, seen.found)}
