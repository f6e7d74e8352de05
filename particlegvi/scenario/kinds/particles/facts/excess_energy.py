"""The excess energy of the particles, and its expectation for exact draws."""

from __future__ import annotations

from particlegvi import diagnostics
from particlegvi.contracts import Facts
from particlegvi.scenario.kinds.facts import fact
from particlegvi.scenario.kinds.particles.seen import Seen, same_bits, usable


@fact(90)
def excess_energy(seen: Seen) -> Facts:
    """``excess_energy``: mean, expected mean, and their difference in standard errors."""
    run = seen.run
    if not seen.has_target("density") or not usable(run) or run.method.kl_weight <= 0.0:
        return {}
    with same_bits():
        excess = diagnostics.excess_energy(run.final, seen.target, float(run.method.kl_weight))
        return {"excess_energy": excess._asdict() | {"deviation": excess.deviation}}
