"""Error bounds of a Gaussian mean and standard deviation from a bound on KL(q, p).

Let q and p be Gaussians on the line, r = var_q / var_p, and g an upper bound on KL(q, p), in nats. Then

    2 KL(q, p) = r - 1 - log r + (mean_q - mean_p)^2 / var_p <= 2 g,                                  (1)

so that r lies between the two roots of r - 1 - log r = 2 g, and

    (mean_q - mean_p)^2 / var_q <= (2 g + 1 + log r) / r - 1,                                         (2)

which is largest, exp(2 g) - 1, at r = exp(-2 g). KL of two processes is at least KL of their values at one input. So
(1) and (2) hold for the values of two processes at every input, if g is an upper bound on the KL of the processes.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import optimize

from particlegvi.contracts import Array

SMALL = 1e-6  # for a smaller gap, series enclose the roots of (1)
LARGEST = 300.0  # the largest gap: above it exp(2 g) is near the largest double


def log_ratios(gap: float) -> tuple[float, float]:
    """The logarithms of the smallest and largest r that (1) allows, rounded outwards so that both roots lie between."""
    if not math.isfinite(gap):
        return -math.inf, math.inf
    step = 2.0 * math.sqrt(gap)
    if gap < SMALL:  # e^s - 1 - s is at least s^2 / 2 above 0, and at least s^2 / 2 + s^3 / 6 below
        return -step * (1.0 + 0.5 * step), step

    def excess(s: float) -> float:
        return math.expm1(s) - s - 2.0 * gap

    low = optimize.brentq(excess, -2.0 * gap - 2.0, 0.0, xtol=1e-14)
    high = optimize.brentq(excess, 0.0, min(step, 2.0 * math.log1p(2.0 * gap) + 1.0), xtol=1e-14)
    return low * (1.0 + 1e-9), high * (1.0 + 1e-9)


def largest_mean_error(gap: float, variances: Array, priors: Array) -> Array:
    """The largest |mean_q - mean_p| that (2) allows, for variances of q (n,) and var_p at most ``priors`` (n,)."""
    if not math.isfinite(gap):
        return np.full(len(variances), math.inf)
    with np.errstate(divide="ignore"):
        least = np.log(variances) - np.log(priors)  # the smallest log r that ``priors`` allow
    anywhere = variances * math.expm1(2.0 * min(gap, LARGEST))
    # (2) falls beyond its maximum: with r above exp(-2 g) the smallest r is the worst
    cut = priors * np.maximum(2.0 * gap + 1.0 + np.maximum(least, -2.0 * gap) - np.exp(least), 0.0)
    return np.sqrt(np.where(least > -2.0 * gap, cut, anywhere if gap <= LARGEST else 2.0 * gap * priors))


def sd_ends(gap: float, variances: Array, priors: Array) -> tuple[Array, Array]:
    """The smallest and largest sd of p that (1) allows, each (n,), and none above the root of ``priors`` (n,)."""
    low, high = log_ratios(gap)
    sd = np.sqrt(variances)
    with np.errstate(over="ignore"):
        above = np.where(sd > 0.0, sd * np.exp(np.float64(-0.5 * low)), 0.0)
    return sd * math.exp(-0.5 * high), np.minimum(above, np.sqrt(priors))
