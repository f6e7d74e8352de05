"""Averages of a Gaussian kernel under a log-normal law, by quadrature of a fixed order: they have no closed form."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.contracts import Array

FARTHEST = 9.0  # in standard deviations and in lengthscales: both Gaussians are below 3e-18 there
PANELS = 3  # in a standard deviation of the logarithm, where the density is a polynomial to 1e-15
NODES = 10
MOST_PLACES = 2000  # at a time: a dozen megabytes for each array


def log_normal_average(log_mean: float, log_sd: float, lengthscale: float, x: Array) -> tuple[Array, Array]:
    """E exp(-(x - T)^2 / (2 s^2)) for the lengthscale s, and its derivative, both at x (n,); log T is normal.

    Gauss-Legendre rules on panels whose edges are those of the density, in ratios, and of the kernel, around x.
    """
    parts = [x[first : first + MOST_PLACES] for first in range(0, len(x), MOST_PLACES)]
    levels, slopes = zip(*(_average(log_mean, log_sd, lengthscale, part) for part in parts), strict=True)
    return np.concatenate(levels), np.concatenate(slopes)


def _average(log_mean: float, log_sd: float, s: float, x: Array) -> tuple[Array, Array]:
    turns = np.arange(-FARTHEST * PANELS, FARTHEST * PANELS + 1.0) / PANELS
    of_density = np.exp(log_mean + log_sd * turns)
    of_kernel = x[:, None] + s * np.arange(-FARTHEST, FARTHEST + 1.0)
    low, high = np.maximum(of_kernel[:, 0], of_density[0]), np.minimum(of_kernel[:, -1], of_density[-1])
    edges = np.concatenate([np.broadcast_to(of_density, (len(x), len(of_density))), of_kernel], axis=1)
    edges = np.sort(np.clip(edges, low[:, None], np.maximum(low, high)[:, None]), axis=1)
    place, panel = np.nonzero(np.diff(edges))  # most edges lie beyond the ends of the other ones
    unit, shares = np.polynomial.legendre.leggauss(NODES)
    half = 0.5 * (edges[place, panel + 1] - edges[place, panel])[:, None]
    t = edges[place, panel][:, None] + half * (1.0 + unit)
    gap, far = (x[place, None] - t) / s, (np.log(t) - log_mean) / log_sd
    mass = half * shares * np.exp(-0.5 * (far**2 + gap**2)) / (t * (log_sd * math.sqrt(2.0 * math.pi)))
    level, slope = (np.bincount(place, part.sum(axis=1), len(x)) for part in (mass, -mass * gap))
    return level.astype(np.float64), slope / s
