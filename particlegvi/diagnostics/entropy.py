"""Differential entropy of particles: spacings on the line, nearest neighbours otherwise.

Both average the logarithm of the volume between a few neighbours, minus the expectation of this logarithm for a
constant density. They are unbiased for a uniform distribution (nearest neighbours except at its edges). For a smooth
density the bias is smaller than the standard error: much smaller on the line, half of it for a curved density in the
plane. At the walls of a box nearest neighbours overestimate the entropy, in the plane by 0.1 for 300 particles and 0.02
for 2000.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.diagnostics.particles import in_space

NEIGHBOURS = 3
CHUNK = 200_000


def entropy(particles: ArrayLike) -> tuple[float, str]:
    """Entropy in nats and the name of the estimator: spacings on the line, else nearest neighbours.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
        At least two.

    Returns
    -------
    float
        In nats; minus infinity where too many particles coincide.
    str
        "spacings" or "nearest neighbours".
    """
    x = in_space(particles)
    if len(x) < 2:
        raise ValueError("particles must be at least two for an entropy, not one")
    if x.shape[1] == 1:
        return spacings(x[:, 0]), "spacings"
    return nearest_neighbours(x), "nearest neighbours"


def spacings(x: Array) -> float:
    """Entropy -E log q of two or more particles on the line (n,), from the gaps between ordered particles, in nats.

    ``mean over i of [log(x_(i+m) - x_(i-m)) - psi(k_i)] + psi(n + 1)``, with psi the digamma function, indices cut off
    at 1 and n, and k_i the number of gaps spanned: Vasicek's estimator (1976, J. R. Statist. Soc. B 38, 54-59), with
    the ends counted as in Ebrahimi, Pflughoeft and Soofi (1994) and the mean of the logarithm of a uniform spacing,
    psi(k) - psi(n + 1), in place of log(k/n) (Cressie, 1976). Here m is 3.
    """
    from scipy.special import digamma

    x = np.sort(x)
    n = len(x)
    index = np.arange(n)
    low, high = np.maximum(index - NEIGHBOURS, 0), np.minimum(index + NEIGHBOURS, n - 1)
    with np.errstate(divide="ignore"):
        logs = np.log(x[high] - x[low])
    return float(np.mean(logs - digamma(high - low)) + digamma(n + 1))


def nearest_neighbours(x: Array) -> float:
    """Entropy -E log q of two or more particles (n, dim), from the distances to their third nearest neighbours.

    ``psi(n) - psi(k) + log(volume of the unit ball) + dim/n sum_i log(distance_i)`` (Kozachenko and Leonenko, 1987,
    Probl. Inf. Transm. 23, 95-101; for k > 1 Kraskov, Stoegbauer and Grassberger, 2004, equation 20).
    """
    from scipy.spatial import cKDTree
    from scipy.special import digamma

    n, dim = x.shape
    k = min(NEIGHBOURS, n - 1)
    tree = cKDTree(x)
    with np.errstate(divide="ignore"):
        total = sum(
            float(np.sum(np.log(tree.query(x[start : start + CHUNK], k=[k + 1])[0]))) for start in range(0, n, CHUNK)
        )
    ball = 0.5 * dim * math.log(math.pi) - math.lgamma(0.5 * dim + 1.0)
    return float(digamma(n) - digamma(k) + ball + dim * total / n)
