"""Floors of the discrepancies that are quadratic in the sample: MMD, energy distance and KSD.

For n exact draws n times the squared statistic is in the mean E u(X, X), and tends to sum_l lambda_l Z_l^2, with
lambda_l the eigenvalues of the centred kernel u under the target and Z_l standard normal (Gretton et al., 2009, NIPS
22; Liu, Lee and Jordan, 2016, Theorem 4.1). The eigenvalues are those of u on a few hundred draws.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from particlegvi import arguments
from particlegvi.diagnostics.floor import checked_levels

Array = NDArray[np.float64]
SIMULATED = 2000
KEPT = 40
MANY = "a number from 0.5, that of two draws that are compared, to 2^32"


def limit_floor(
    table: Array, n: float, quantiles: Sequence[float] = (0.05, 0.95), centred: bool = False, seed: int = 0
) -> tuple[float, ...]:
    """Quantiles of the root of the V-statistic of ``n`` exact draws.

    Parameters
    ----------
    table : array (m, m)
        Kernel between m draws from the target.
    n : float
        Number of draws; for two samples, of n1 and n2, 1/(1/n1 + 1/n2).
    quantiles : sequence of floats in [0, 1]
    centred : bool
        Whether the kernel has mean zero under the target already, as Stein's has.
    seed : int

    Returns
    -------
    tuple of floats, one for each quantile
        Those of the limit law, whose mean is right for any n.
    """
    levels = checked_levels(quantiles)
    n, seed = arguments.real("n", n, MANY), arguments.seed(seed)
    if not 0.5 <= n <= arguments.MOST_PARTICLES:
        raise arguments.refuse("n", n, MANY)
    table = arguments.array("table", table, "an array (m, m) of numbers")
    if table.ndim != 2 or not table.size or table.shape[0] != table.shape[1] or not np.all(np.isfinite(table)):
        raise arguments.refuse("table", table, "a finite array (m, m) with m of at least 1")
    if not arguments.flag("centred", centred):
        mean = table.mean(axis=0)
        table = table - mean - mean[:, None] + mean.mean()
    eigenvalues = np.maximum(np.linalg.eigvalsh(table)[::-1], 0.0) / len(table)
    largest, rest = eigenvalues[:KEPT], float(eigenvalues[KEPT:].sum())
    normals = np.random.default_rng(seed).standard_normal((SIMULATED, len(largest)))
    simulated = (normals * normals) @ largest + rest
    return tuple(float(value) for value in np.sqrt(np.quantile(simulated, levels) / n))
