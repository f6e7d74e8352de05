"""The weights of the objective."""

from __future__ import annotations

from particlegvi.contracts import Facts
from particlegvi.kinds.facts import fact
from particlegvi.kinds.particles.seen import Seen
from particlegvi.methods import FreeEnergy


@fact(40)
def weights(seen: Seen) -> Facts:
    """``weights``: those that the objective has, and of a free energy both."""
    method = seen.run.method
    both = {"kl_weight": method.kl_weight, "mmd_weight": method.mmd_weight}
    has_both = isinstance(method, FreeEnergy)
    return {"weights": {name: float(weight) for name, weight in both.items() if has_both or weight != 0.0}}
