"""The target Q* of the method, or the reason why there is none."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.scenario.kinds.facts import fact, is_table
from particlegvi.scenario.kinds.particles.seen import Seen

NAMES = ("mean", "variance", "residual", "log_normaliser", "error")


@fact(60, ("target",), target=is_table)
def target(seen: Seen) -> Facts:
    """``target``: its ``kind`` and the numbers of this kind of target; the ``reason`` if there is no target."""
    if seen.target is None:
        return {"target": {"kind": None, "reason": seen.reason}}
    found: Facts = {"kind": seen.target.kind}
    for name in NAMES:
        value = getattr(seen.target, name, None)
        if value is not None:
            found[name] = np.asarray(value, dtype=np.float64).tolist()
    return {"target": found}
