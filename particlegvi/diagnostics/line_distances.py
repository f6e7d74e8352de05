"""Distances of particles to a target on the line: Wasserstein and Kolmogorov-Smirnov."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.diagnostics.null_quantiles import checked_levels
from particlegvi.diagnostics.particles import line_target, on_line
from particlegvi.tools import arguments

if TYPE_CHECKING:
    from particlegvi.diagnostics.particles import KnownTarget
    from particlegvi.targets.density import DensityTarget
    from particlegvi.targets.gaussians import GaussianOptima


def wasserstein1(particles: ArrayLike, target: KnownTarget) -> float:
    """``W1 = integral of |F_n(x) - F(x)| dx``, exact (Vallender, 1974).

    F_n is the empirical distribution function of the particles and F that of the target. On every gap between two
    particles F_n is constant, and the integral of F has the antiderivative x F(x) - M(x) with M the partial mean.

    Parameters
    ----------
    particles : array (n,) or (n, 1)
    target : target with one dimension
        A density, atoms, or Gaussian optima (of which the best one is used).

    Returns
    -------
    float
        In the units of the particles; infinite where the target has no mean.
    """
    line_target(target)
    x = np.sort(on_line(particles))
    if target.kind == "atoms":
        return _to_atoms(x, target.atoms[:, 0], target.weights)
    centre = float(target.mean)
    if not np.isfinite(centre):
        return float("inf")
    below = np.arange(1, len(x)) / len(x)
    return _to_density(x - centre, target.cdf(x), target.partial_mean(x), below, target)


def _to_density(
    z: np.ndarray, cdf: np.ndarray, first: np.ndarray, below: np.ndarray, target: DensityTarget | GaussianOptima
) -> float:
    """W1 from sorted particles z relative to the mean, F (``cdf``) and M (``first``) there, and F_n in the gaps."""
    area = z * cdf - first  # integral of F up to each particle
    between = np.diff(area) - below * np.diff(z)  # integral of F - F_n over each gap
    total = np.abs(between)
    crossed = np.flatnonzero((cdf[:-1] < below) & (below < cdf[1:]))
    if len(crossed):
        # F crosses F_n inside the gap: integrate the parts on either side separately.
        level = below[crossed]
        at = target.quantile(level)
        left = (at - target.mean) * level - target.partial_mean(at) - area[crossed]
        left -= level * (at - target.mean - z[crossed])
        total[crossed] = np.abs(left) + np.abs(between[crossed] - left)
    tails = area[0] + (-first[-1] - z[-1] * (1.0 - cdf[-1]))
    return float(total.sum() + max(tails, 0.0))


def _to_atoms(x: np.ndarray, atoms: np.ndarray, weights: np.ndarray) -> float:
    places = np.concatenate([x, atoms])
    jumps = np.concatenate([np.full(len(x), 1.0 / len(x)), -weights])
    order = np.argsort(places, kind="stable")
    gap = np.cumsum(jumps[order])[:-1]
    return float(np.sum(np.abs(gap) * np.diff(places[order])))


def wasserstein2(particles: ArrayLike, target: KnownTarget) -> float:
    """``W2 = [integral of (Q_n(u) - Q(u))^2 du]^(1/2)`` of the two quantile functions, exact (Villani, 2003, 2.18).

    Between (i - 1)/n and i/n Q_n is the i-th ordered particle, and the integral of Q follows from the partial mean.

    Parameters
    ----------
    particles : array (n,) or (n, 1)
    target : target with one dimension
        From `particlegvi.target`: a density, or atoms.

    Returns
    -------
    float
        In the units of the particles; infinite where the target has no variance.
    """
    line_target(target)
    x = np.sort(on_line(particles))
    if target.kind == "atoms":
        return to_points(x, target.atoms[:, 0], target.weights, 2)
    centre, variance = float(target.mean), float(target.variance)
    if not (np.isfinite(centre) and np.isfinite(variance)):
        return float("inf")
    z = x - centre
    between = target.partial_mean(target.quantile(np.arange(1, len(x)) / len(x))) if len(x) > 1 else np.empty(0)
    shares = np.diff(np.concatenate([[0.0], between, [0.0]]))
    return float(np.sqrt(max(variance + np.mean(z * z) - 2.0 * np.sum(z * shares), 0.0)))


def to_points(x: np.ndarray, y: np.ndarray, weights: np.ndarray, order: int) -> float:
    """``[integral of |Q_n - Q|^order du]^(1/order)`` from ordered particles x to ordered points y with weights."""
    above = np.cumsum(weights) / np.sum(weights)
    levels = np.concatenate([np.arange(1, len(x) + 1) / len(x), above])
    levels.sort()
    middle = 0.5 * (levels + np.concatenate([[0.0], levels[:-1]]))
    first = x[np.minimum((middle * len(x)).astype(np.int64), len(x) - 1)]
    second = y[np.minimum(np.searchsorted(above, middle), len(y) - 1)]
    total = np.sum(np.abs(first - second) ** order * np.diff(levels, prepend=0.0))
    return float(total ** (1.0 / order))


def kolmogorov_smirnov(particles: ArrayLike, target: KnownTarget) -> float:
    """``sup |F_n(x) - F(x)|``, exact: the largest difference on either side of a particle (Kolmogorov, 1933).

    Parameters
    ----------
    particles : array (n,) or (n, 1)
    target : target with one dimension and a density

    Returns
    -------
    float
        Between 0 and 1; independent exact draws exceed 1.36/sqrt(n) with probability 0.05 for large n.
    """
    line_target(target)
    if target.kind == "atoms":
        raise ValueError("target is a sum of atoms, from which anything not exactly on them is far; use mode_occupancy")
    x = np.sort(on_line(particles))
    cdf = target.cdf(x)
    steps = np.arange(len(x) + 1) / len(x)
    return float(max(np.max(steps[1:] - cdf), np.max(cdf - steps[:-1])))


def kolmogorov_smirnov_floor(n: int, quantiles: Sequence[float] = (0.05, 0.95)) -> tuple[float, ...]:
    """Quantiles of the distance of ``n`` independent exact draws, which are the same for every density.

    They are those of Kolmogorov's limit distribution divided by ``sqrt(n) + 0.12 + 0.11/sqrt(n)`` (Stephens, 1970,
    J. R. Statist. Soc. B 32): from n = 5 on the upper quantiles have an error of one per cent, the lower ones of five.
    """
    from scipy.special import kolmogi

    levels = checked_levels(quantiles)
    root = float(np.sqrt(arguments.whole("n", n, 1)))
    return tuple(float(value) for value in kolmogi(1.0 - levels) / (root + 0.12 + 0.11 / root))
