"""The Gaussian process behind the data, where they were drawn from one: what is known about the function at best."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from particlegvi.contracts import Facts
from particlegvi.kinds.facts import fact, is_table
from particlegvi.kinds.networks.run import NetworkRun
from particlegvi.metrics import gaussian_nll

BAND = (0.05, 0.95)


@fact(40, reference=is_table)
def reference(run: NetworkRun) -> Facts:
    """``reference``: for every region ``nll``, ``coverage_90`` and the function's ``spread`` under that process."""
    data = run.data
    if data.lengthscale == 0.0:
        return {}
    found = {}
    for name, (X, y) in data.regions.items():
        mean, sd = data.process(X)
        total = np.sqrt(sd**2 + data.noise_sd**2)
        below = ndtr((y - mean) / total)
        found[name] = {
            "nll": gaussian_nll(y, mean, total),
            "coverage_90": float(np.mean((below >= BAND[0]) & (below <= BAND[1]))),
            "spread": float(sd.mean()),
        }
    return {"reference": found}
