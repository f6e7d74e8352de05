"""Whether the run has reached its equilibrium."""

from __future__ import annotations

from particlegvi.contracts import Facts
from particlegvi.kinds.facts import fact
from particlegvi.kinds.particles import verdict
from particlegvi.kinds.particles.seen import Seen, same_bits


@fact(160)
def equilibrium(seen: Seen) -> Facts:
    """``equilibrium``: ``reached``, ``since``, ``verdict`` and ``drift`` (`particlegvi.kinds.particles.verdict`)."""
    with same_bits():
        return {"equilibrium": verdict.equilibrium(seen.run, seen.target, seen.found)}
