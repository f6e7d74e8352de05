"""The scores of the Gaussian process that made the data: the best scores that a model can expect."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from particlegvi.contracts import Facts
from particlegvi.metrics import gaussian_nll
from particlegvi.scenario.kinds.facts import fact, is_table
from particlegvi.scenario.kinds.networks.run import NetworkRun

BAND = (0.05, 0.95)


@fact(40, reference=is_table)
def reference(run: NetworkRun) -> Facts:
    """``reference``: for every region ``nll``, ``coverage_90`` and the function's ``spread`` under this process."""
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
