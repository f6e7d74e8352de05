"""Pareto-smoothed importance weights (Vehtari, Simpson, Gelman, Yao and Gabry 2024).

The largest weights of importance sampling have a tail that a few draws describe badly. A generalised Pareto
distribution is fitted to them (Zhang and Stephens 2009), and its quantiles take their place. Its shape k says how far
the weights can be trusted: below 0.7 they can.
"""

from __future__ import annotations

import numpy as np
from scipy.special import boxcox1p

from particlegvi.contracts import Array


def smoothed(log_weights: Array) -> tuple[Array, float]:
    """Weights (n,) that sum to 1, from unnormalised logarithms (n,), and the shape k of their tail.

    k is infinite where fewer than five weights are above the tail's threshold.
    """
    log_weights = log_weights - log_weights.max()
    order = np.argsort(log_weights)
    number = int(min(np.ceil(0.2 * len(order)), np.ceil(3.0 * np.sqrt(len(order)))))
    tail = order[-number:]
    threshold = log_weights[order[-number - 1]]
    shape = np.inf
    if number >= 5 and np.isfinite(threshold) and log_weights[tail[0]] > threshold:
        exceedances = np.exp(log_weights[tail]) - np.exp(threshold)
        shape, scale = fitted_pareto(exceedances)
        levels = (np.arange(number) + 0.5) / number
        quantiles = -scale * boxcox1p(-levels, -shape)
        log_weights = log_weights.copy()
        log_weights[tail] = np.minimum(np.log(quantiles + np.exp(threshold)), 0.0)
    weights = np.exp(log_weights)
    return weights / weights.sum(), float(shape)


def fitted_pareto(exceedances: Array) -> tuple[float, float]:
    """Shape and scale of a generalised Pareto distribution for increasing positive numbers (n,).

    The posterior mean of Zhang and Stephens (2009), their equations 8 to 10, with the weak prior of shape 1/2 that the
    paper on smoothing adds.
    """
    n = len(exceedances)
    grid = 30 + int(np.sqrt(n))
    places = 1.0 - np.sqrt(grid / (np.arange(1, grid + 1) - 0.5))
    theta = 1.0 / exceedances[-1] + places / (3.0 * exceedances[int(n / 4 + 0.5) - 1])
    shapes = np.log1p(-theta[:, None] * exceedances).mean(axis=1)
    profile = n * (np.log(-theta / shapes) - shapes - 1.0)
    weights = np.exp(profile - profile.max())
    mean = float((theta * weights).sum() / weights.sum())
    shape = float(np.log1p(-mean * exceedances).mean())
    return (n * shape + 10.0 * 0.5) / (n + 10.0), -shape / mean
