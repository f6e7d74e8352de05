"""The compiled parts of projected Langevin sampling: costs and their slopes at many values, and the step itself.

The matrix products between them are BLAS's, called from Python; no matrix is touched here.
"""

import math

import numpy as np

from particlegvi.engine.numerics.compiled import compiled
from particlegvi.engine.numerics.noise import fill_normals
from particlegvi.engine.terms import evaluate  # noqa: F401 - registers the methods of terms

LANES = 64
COST, SLOPE, CURVATURE = range(3)


@compiled
def pointwise(likelihood, which, f, y, out):
    """The cost, its derivative or its curvature at every pair of values of two flat arrays."""
    if which == COST:
        for n in range(f.shape[0]):
            out[n] = likelihood.cost_at(f[n], y[n])
    elif which == SLOPE:
        for n in range(f.shape[0]):
            out[n] = likelihood.slope_at(f[n], y[n])
    else:
        for n in range(f.shape[0]):
            out[n] = likelihood.curvature_at(f[n], y[n])


@compiled
def add_costs(likelihood, f, y, costs):
    """costs[j] += sum over rows n of c(y_n, f[n, j]), in the order of the rows."""
    for n in range(f.shape[0]):
        observed = y[n]
        for j in range(f.shape[1]):
            costs[j] += likelihood.cost_at(f[n, j], observed)


@compiled
def slopes_in_place(likelihood, f, y):
    """f[n, j] <- d c(y_n, f[n, j]) / df."""
    for n in range(f.shape[0]):
        observed = y[n]
        for j in range(f.shape[1]):
            f[n, j] = likelihood.slope_at(f[n, j], observed)


@compiled
def move(z, force, decay, gain, leftover, spread, key, role, step, out):
    """out = decay z - gain (force + leftover z) + spread * normals of the step: arrays (particles, dim) and (dim,)."""
    particles, dim = z.shape
    even = np.empty((dim, LANES))
    odd = np.empty((dim, LANES))
    normals = even if step % 2 == 0 else odd
    for first in range(0, particles, LANES):
        fill_normals(first, even, odd, np.uint64(step // 2), role, key[0], key[1])
        for lane in range(min(LANES, particles - first)):
            j = first + lane
            for m in range(dim):
                drift = force[j, m] + leftover[m] * z[j, m]
                out[j, m] = decay[m] * z[j, m] - gain[m] * drift + spread[m] * normals[m, lane]


@compiled
def log_ratios(z, force, proposed, force_proposed, decay, gain, leftover, spread, out):
    """log q(z given proposed) - log q(proposed given z) for the proposals of ``move``, (particles,)."""
    for j in range(z.shape[0]):
        total = 0.0
        for m in range(z.shape[1]):
            x = z[j, m]
            y = proposed[j, m]
            back = decay[m] * y - gain[m] * (force_proposed[j, m] + leftover[m] * y)
            forth = decay[m] * x - gain[m] * (force[j, m] + leftover[m] * x)
            total += ((y - forth) * (y - forth) - (x - back) * (x - back)) / (spread[m] * spread[m])
        out[j] = 0.5 * total if math.isfinite(total) else -np.inf
