"""The weights of the objective."""

from __future__ import annotations

from particlegvi.contracts import Facts
from particlegvi.methods import FreeEnergy
from particlegvi.scenario.kinds.facts import fact
from particlegvi.scenario.kinds.particles.seen import Seen


@fact(40)
def weights(seen: Seen) -> Facts:
    """``weights``: the weights of the objective; for a free energy both kl_weight and mmd_weight."""
    method = seen.run.method
    both = {"kl_weight": method.kl_weight, "mmd_weight": method.mmd_weight}
    has_both = isinstance(method, FreeEnergy)
    return {"weights": {name: float(weight) for name, weight in both.items() if has_both or weight != 0.0}}
