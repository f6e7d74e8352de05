"""Discrepancies by kernels: the maximum mean discrepancy (Gretton et al., 2012, JMLR 13), and Stein's.

    MMD^2 = E kappa(X, X') - 2 E kappa(X, Y) + E kappa(Y, Y')

compares particles with a target or with other particles. The energy distance is the same with -|x - y| for kappa.

The kernel Stein discrepancy (Liu, Lee and Jordan, 2016; Gorham and Mackey, 2017) compares particles with a distribution
whose score s = grad log q is known; its density need not be normalised:

    KSD^2 = E u(X, X'),   u(x, y) = s(x).s(y) k + s(x).grad_y k + s(y).grad_x k + tr grad_x grad_y k

with the inverse multiquadric k(x, y) = (1 + |x - y|^2 / c^2)^(-1/2), which detects escaping particles (Gorham and
Mackey, 2017, Theorem 8). It is sensitive to the shape of each mode, but hardly to the masses of modes that are far
apart: occupancies of the modes measure these.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Kernel, Loss, Method, Prior
from particlegvi.diagnostics.particles import KnownTarget, in_space, is_target, reference
from particlegvi.engine.terms.evaluate import profile_values, squared_distances
from particlegvi.targets import DensityTarget, GaussianOptima
from particlegvi.tools import arguments, objects
from particlegvi.tools.objects import has_walls

Profile = Callable[[Array], Array]  # a function of squared distances
REFERENCE = 1000
CHUNK = 2_000_000  # pairs at a time


def maximum_mean_discrepancy(particles: ArrayLike, target: KnownTarget | ArrayLike, kernel: Kernel) -> float:
    """The MMD of the particles as they are: the square root of Gretton et al.'s V-statistic (5), never negative.

    It takes n (n + m) operations.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
    target : target with a density, or array (m, dim)
        A density is represented by 1000 points (quantiles on the line, draws in the plane).
    kernel : kernel with a number for its lengthscale
    """
    objects.kernel(kernel)
    return _root(particles, target, lambda r2: profile_values(kernel, r2))


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
        return _root(particles, target, lambda r2: -np.sqrt(r2))
    x = np.sort(in_space(particles, 1)[:, 0])
    if not np.isfinite(target.mean):
        return float("inf")
    to_target = (x - target.mean) * (2.0 * target.cdf(x) - 1.0) - 2.0 * target.partial_mean(x)
    between = 2.0 * np.sum((2.0 * np.arange(len(x)) + 1.0 - len(x)) * (x - x.mean())) / len(x) ** 2
    return float(np.sqrt(max(2.0 * np.mean(to_target) - between - _mean_difference(target), 0.0)))


def _mean_difference(target: DensityTarget | GaussianOptima) -> float:
    """E|Y - Y'| = 2 E[Y (2 F(Y) - 1)] on the line, by the target's quadrature, or a fine grid of quantiles."""
    if target.kind == "density":
        y, masses = target.grid, target.masses
    else:
        y = target.quantile((np.arange(4000) + 0.5) / 4000)
        masses = np.full(len(y), 1.0 / len(y))
    return float(2.0 * masses @ ((y - target.mean) * (2.0 * target.cdf(y) - 1.0)))


def _root(particles: ArrayLike, target: KnownTarget | ArrayLike, profile: Profile) -> float:
    """The square root of the V-statistic of a profile."""
    x, weights = in_space(particles), None
    if not is_target(target):
        y = in_space(target, key="target")
    elif target.kind == "atoms":
        y, weights = target.atoms, target.weights
    else:
        y = reference(target, REFERENCE)[0]
    if x.shape[1] != y.shape[1]:
        raise ValueError(f"target must be of dimension {x.shape[1]}, as the particles are, not {y.shape[1]}")
    squared = _mean(profile, x, x, None) - 2.0 * _mean(profile, x, y, weights) + _mean(profile, y, y, weights)
    return float(np.sqrt(max(squared, 0.0)))


def _mean(profile: Profile, x: Array, y: Array, weights: Array | None) -> float:
    """Mean of the profile over all pairs, with weights for y; if x is y, the weights count on both sides."""
    size = max(1, CHUNK // len(y))
    shares = np.full(len(y), 1.0 / len(y)) if weights is None else weights
    rows = [profile(squared_distances(x[start : start + size], y)) @ shares for start in range(0, len(x), size)]
    means = np.concatenate(rows)
    return float(shares @ means) if x is y else float(np.mean(means))


Score = Callable[[Array], Array]
DIFFERENCE = 1e-4  # half width of a central difference, in standard deviations


def kernel_stein_discrepancy(particles: ArrayLike, score: Score, lengthscale: float = 1.0) -> float:
    """The KSD of the particles as they are: the square root of the V-statistic, never negative.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
    score : callable
        Gradient of the log density at points (n, dim), as an array (n, dim); see `target_score`.
    lengthscale : float
        c above.
    """
    x = in_space(particles)
    objects.function("score", score)
    squared = stein_kernel(x, score_at(score, x), arguments.scale("lengthscale", lengthscale)).mean()
    return float(np.sqrt(max(squared, 0.0)))


def score_at(score: Score, x: Array) -> Array:
    """The score at points (n, dim), checked."""
    return objects.returned("score", score(x), x.shape)


def stein_kernel(x: Array, scores: Array, lengthscale: float) -> Array:
    """u(x_i, x_j) for all pairs, an array (n, n)."""
    precision = 1.0 / lengthscale**2
    with np.errstate(over="ignore"):  # for a tiny lengthscale
        shrink = 1.0 / (1.0 + precision * squared_distances(x, x))
    kernel = np.sqrt(shrink)
    cubed = precision * kernel * shrink  # grad_x k = -cubed (x - y)
    along = np.sum(scores * x, axis=1)
    cross = scores @ x.T
    # s(x).grad_y k + s(y).grad_x k = cubed (s(x) - s(y)).(x - y)
    difference = along[:, None] + along - cross - cross.T
    trace = cubed * (x.shape[1] - 3.0 * (1.0 - shrink))  # precision r^2 shrink = 1 - shrink
    return (scores @ scores.T) * kernel + cubed * difference + trace


def target_score(target: DensityTarget, loss: Loss, method: Method, prior: Prior) -> Score:
    """grad log q* of a target: -grad loss / kl_weight + grad log p, and for DRLE the gradient of the interaction.

    The interaction is log q* + loss / kl_weight - log p, a smooth function, differentiated by central differences.

    Parameters
    ----------
    target : target with a density on the whole space
    loss, method, prior
        Loss, weights and prior of the target.

    Returns
    -------
    callable
        From points (n, dim) to an array (n, dim).

    Raises
    ------
    ValueError
        If the prior is bounded: Stein's identity then lacks a term for the edges.
    """
    objects.target(target, density=True, dim=objects.loss(loss).dim)
    objects.same_dim("prior", objects.prior(prior).dim, loss.dim)
    if has_walls(prior.low, prior.high):
        raise ValueError("prior must be unbounded for a Stein discrepancy, which needs a density without edges")
    kl_weight = arguments.positive("kl_weight of the method", objects.method(method).kl_weight)
    interacting = float(method.mmd_weight) > 0.0
    step = DIFFERENCE * np.sqrt(np.maximum(np.reshape(target.variance, -1), 1e-300))

    def interaction(x: Array) -> Array:
        return target.log_pdf(x) + loss.value(x) / kl_weight - prior.log_density(x)

    def score(x: Array) -> Array:
        gradient = -loss.gradient(x) / kl_weight + prior.gradient(x)
        if interacting:
            for i, width in enumerate(step):
                shift = np.zeros(x.shape[1])
                shift[i] = width
                gradient[:, i] += (interaction(x + shift) - interaction(x - shift)) / (2.0 * width)
        return gradient

    return score
