"""The local optima of mean-field Gaussian variational inference."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.scenario.kinds.facts import fact
from particlegvi.scenario.kinds.particles.seen import Seen


@fact(70)
def optima(seen: Seen) -> Facts:
    """``optima``: ``all``, and ``reached``, the place in it of the optimum that a descent from the start finds."""
    if not seen.has_target("gaussians"):
        return {}
    reached = seen.target.basin_of(seen.start)
    every = seen.target.optima
    return {
        "optima": {
            "all": [{name: np.asarray(value).tolist() for name, value in each._asdict().items()} for each in every],
            "reached": None if reached is None else int(reached),
        }
    }
