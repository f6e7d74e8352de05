"""The maximum mean discrepancy between particles and a target or other particles (Gretton et al., 2012, JMLR 13).

    MMD^2 = E kappa(X, X') - 2 E kappa(X, Y) + E kappa(Y, Y')

The energy distance is the same with -|x - y| for kappa.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.diagnostics.particles import in_space, is_target, reference
from particlegvi.tools import arguments, parts

if TYPE_CHECKING:
    from particlegvi.contracts import Kernel
    from particlegvi.diagnostics.particles import KnownTarget
    from particlegvi.targets.density import DensityTarget
    from particlegvi.targets.gaussians import GaussianOptima

Profile = Callable[[Array], Array]  # a function of squared distances
REFERENCE = 1000
CHUNK = 2_000_000  # pairs at a time


def maximum_mean_discrepancy(particles: ArrayLike, target: KnownTarget | ArrayLike, kernel: Kernel) -> float:
    """The MMD of the particles as they are: the square root of Gretton et al.'s V-statistic (5), never negative.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
    target : target with a density, or array (m, dim)
        A density is represented by 1000 points (quantiles on the line, draws in the plane).
    kernel : kernel with a number for its lengthscale

    Returns
    -------
    float
        Computed in n (n + m) operations.
    """
    return float(np.sqrt(max(maximum_mean_discrepancy_squared(particles, target, kernel, unbiased=False), 0.0)))


def maximum_mean_discrepancy_squared(
    particles: ArrayLike, target: KnownTarget | ArrayLike, kernel: Kernel, unbiased: bool = True
) -> float:
    """MMD^2: by default the U-statistic (3) of Gretton et al. in the particles, which may be negative.

    It leaves out the pairs of a particle with itself, so that its mean over samples is the MMD^2 of their distribution.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
        At least two for the U-statistic.
    target : target with a density, or array (m, dim)
        A density is represented by 1000 points; the pairs of points of the target with themselves stay.
    kernel : kernel with a number for its lengthscale
    unbiased : bool
        False takes the V-statistic, with self pairs.

    Returns
    -------
    float
    """
    parts.kernel(kernel)
    return _squared(particles, target, lambda r2: values_of(kernel, r2), arguments.flag("unbiased", unbiased))


def energy_distance(particles: ArrayLike, target: KnownTarget | ArrayLike) -> float:
    """``[2 E|X - Y| - E|X - X'| - E|Y - Y'|]^(1/2)`` (Szekely and Rizzo, 2013, J. Stat. Plan. Inference 143).

    Exact on the line, where it is ``[2 integral of (F_n - F)^2 dx]^(1/2)``; otherwise 1000 draws represent the
    target.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
    target : target with a density, or array (m, dim)

    Returns
    -------
    float
        In the root of the units of the particles; infinite where the target has no mean.
    """
    if not is_target(target) or target.dim != 1 or target.kind == "atoms":
        return float(np.sqrt(max(_squared(particles, target, lambda r2: -np.sqrt(r2), False), 0.0)))
    x = np.sort(in_space(particles, 1)[:, 0])
    if not np.isfinite(target.mean):
        return float("inf")
    to_target = (x - target.mean) * (2.0 * target.cdf(x) - 1.0) - 2.0 * target.partial_mean(x)
    between = 2.0 * np.sum((2.0 * np.arange(len(x)) + 1.0 - len(x)) * (x - x.mean())) / len(x) ** 2
    return float(np.sqrt(max(2.0 * np.mean(to_target) - between - _mean_difference(target), 0.0)))


def values_of(kernel: Kernel, r2: Array) -> Array:
    """kappa at squared distances of any shape."""
    from particlegvi.engine.terms.evaluate import profile_values

    return profile_values(kernel, r2)


def squared_distances(x: Array, y: Array) -> Array:
    """|x_i - y_j|^2, an array (n, m)."""
    gap = x[:, 0, None] - y[:, 0]
    total = gap * gap
    for i in range(1, x.shape[1]):
        gap = x[:, i, None] - y[:, i]
        total += gap * gap
    return total


def _mean_difference(target: DensityTarget | GaussianOptima) -> float:
    """E|Y - Y'| = 2 E[Y (2 F(Y) - 1)] on the line, by the target's quadrature, or a fine grid of quantiles."""
    if target.kind == "density":
        y, masses = target.grid, target.masses
    else:
        y = target.quantile((np.arange(4000) + 0.5) / 4000)
        masses = np.full(len(y), 1.0 / len(y))
    return float(2.0 * masses @ ((y - target.mean) * (2.0 * target.cdf(y) - 1.0)))


def _squared(particles: ArrayLike, target: KnownTarget | ArrayLike, profile: Profile, unbiased: bool) -> float:
    x = in_space(particles)
    density, weights = False, None
    if not is_target(target):
        y = in_space(target, key="target")
    elif target.kind == "atoms":
        y, weights = target.atoms, target.weights
    else:
        density, y = target.kind == "density", reference(target, REFERENCE)[0]
    if x.shape[1] != y.shape[1]:
        raise ValueError(f"target must be of dimension {x.shape[1]}, as the particles are, not {y.shape[1]}")
    own = float(profile(np.zeros(1))[0])
    n, m = len(x), len(y)
    if unbiased and n < 2:
        raise ValueError("particles must be at least two for an unbiased MMD^2, not one")
    within = _mean(profile, x, x, None)
    if unbiased:
        within = (n * within - own) / (n - 1)
    among = _mean(profile, y, y, weights)
    if unbiased and density and x.shape[1] > 1:
        among = (m * among - own) / (m - 1)  # the reference consists of draws, whose mean is corrected as well
    return within - 2.0 * _mean(profile, x, y, weights) + among


def _mean(profile: Profile, x: Array, y: Array, weights: Array | None) -> float:
    """Mean of the profile over all pairs, with weights for y; if x is y, the weights count on both sides."""
    size = max(1, CHUNK // len(y))
    shares = np.full(len(y), 1.0 / len(y)) if weights is None else weights
    rows = [profile(squared_distances(x[start : start + size], y)) @ shares for start in range(0, len(x), size)]
    each = np.concatenate(rows)
    return float(shares @ each) if x is y else float(np.mean(each))
