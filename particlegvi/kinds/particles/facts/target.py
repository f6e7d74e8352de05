"""The target Q* of the method, or why there is none."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlegvi.kinds.facts import fact, is_table
from particlegvi.kinds.particles.seen import Seen

NAMES = ("mean", "variance", "residual", "log_normaliser", "error")


@fact(60, ("target",), target=is_table)
def target(seen: Seen) -> dict[str, Any]:
    """``target``: its ``kind`` and the numbers that a target of this kind has; without one the ``reason``."""
    if seen.target is None:
        return {"target": {"kind": None, "reason": seen.reason}}
    found: dict[str, Any] = {"kind": seen.target.kind}
    for name in NAMES:
        value = getattr(seen.target, name, None)
        if value is not None:
            found[name] = np.asarray(value, dtype=np.float64).tolist()
    return {"target": found}
