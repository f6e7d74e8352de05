"""Distances of the final particles to a target with a density, and their null quantiles."""

from __future__ import annotations

import numpy as np

from particlegvi import diagnostics
from particlegvi.contracts import Facts
from particlegvi.kernels import SquaredExponential
from particlegvi.scenario.kinds.facts import fact
from particlegvi.scenario.kinds.particles.seen import Seen, same_bits, usable


@fact(80)
def distances(seen: Seen) -> Facts:
    """``distances``: by name ``value``, ``floor`` (quantiles for as many exact draws) and the ``particles`` used."""
    run, target = seen.run, seen.target
    if not seen.has_target("density") or not usable(run):
        return {}
    with same_bits():
        lengthscale = float(np.sqrt(np.mean(target.variance)))
        if not np.isfinite(lengthscale):
            return {}
        score = None
        if run.method.kl_weight > 0.0 and not np.any(np.isfinite(run.prior.low) | np.isfinite(run.prior.high)):
            score = diagnostics.target_score(target, run.loss, run.method, run.prior)
        found = diagnostics.distances(run.final, target, SquaredExponential(lengthscale), score, run.seed)
    return {
        "distances": {
            name: {"value": each.value, "floor": list(each.floor), "particles": each.particles}
            for name, each in found.items()
        }
    }
