"""The mean loss of the particles."""

from __future__ import annotations

from particlegvi.contracts import Facts
from particlegvi.scenario.kinds.facts import fact
from particlegvi.scenario.kinds.particles.seen import Seen


@fact(30)
def average_loss(seen: Seen) -> Facts:
    """``average_loss``, at the first and at the last record."""
    loss = seen.run.average_loss()
    return {"average_loss": {"first": float(loss[0]), "last": float(loss[-1])}}
