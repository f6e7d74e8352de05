"""The kernel Stein discrepancy of particles to a law known by its score (Liu, Lee and Jordan, 2016; Gorham and Mackey,
2017): the law need not be normalised.

    KSD^2 = E u(X, X'),   u(x, y) = s(x).s(y) k + s(x).grad_y k + s(y).grad_x k + tr grad_x grad_y k

with the score s = grad log q and the inverse multiquadric k(x, y) = (1 + |x - y|^2 / c^2)^(-1/2), which sees particles
that run away (Gorham and Mackey, 2017, Theorem 8). It sees the shape of each mode, but hardly how the mass is divided
between modes far apart: that is what occupancies are for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.diagnostics.discrepancy import squared_distances
from particlegvi.diagnostics.particles import in_space
from particlegvi.tools import arguments, parts

Score = Callable[[Array], Array]
DIFFERENCE = 1e-4


def kernel_stein_discrepancy(particles: ArrayLike, score: Score, lengthscale: float = 1.0) -> float:
    """The KSD of the particles as they are: the square root of the V-statistic, with self pairs.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
    score : callable
        Gradient of the log density at points (n, dim), as an array (n, dim); see `target_score`.
    lengthscale : float
        c above.

    Returns
    -------
    float
        It needs n^2 operations and as many numbers.

    Raises
    ------
    ValueError
        If the score's shape is wrong, or the law has edges where it is given.
    """
    return float(np.sqrt(max(kernel_stein_discrepancy_squared(particles, score, lengthscale, unbiased=False), 0.0)))


def kernel_stein_discrepancy_squared(
    particles: ArrayLike, score: Score, lengthscale: float = 1.0, unbiased: bool = True
) -> float:
    """KSD^2: by default the U-statistic (Liu, Lee and Jordan, 2016, (14)), whose mean is that of the particles' law.

    It may be negative. Parameters and errors are those of `kernel_stein_discrepancy`.
    """
    x = in_space(particles)
    parts.function("score", score)
    lengthscale = arguments.scale("lengthscale", lengthscale)
    table = stein_kernel(x, score_at(score, x), lengthscale)
    if not arguments.flag("unbiased", unbiased):
        return float(table.mean())
    if len(x) < 2:
        raise ValueError("particles are fewer than two; an unbiased KSD^2 needs at least two")
    return float((table.sum() - np.trace(table)) / (len(x) * (len(x) - 1.0)))


def score_at(score: Score, x: Array) -> Array:
    """The score at points (n, dim), checked."""
    return parts.returned("score", score(x), x.shape)


def stein_kernel(x: Array, scores: Array, lengthscale: float) -> Array:
    """u(x_i, x_j) for all pairs, an array (n, n)."""
    precision = 1.0 / lengthscale**2
    with np.errstate(over="ignore"):  # far apart and in terms of a tiny lengthscale
        shrink = 1.0 / (1.0 + precision * squared_distances(x, x))
    kernel = np.sqrt(shrink)
    cubed = precision * kernel * shrink  # grad_x k = -cubed (x - y)
    along = np.sum(scores * x, axis=1)
    cross = scores @ x.T
    # s(x).grad_y k + s(y).grad_x k = cubed (s(x) - s(y)).(x - y)
    difference = along[:, None] + along - cross - cross.T
    trace = cubed * (x.shape[1] - 3.0 * (1.0 - shrink))  # precision r^2 shrink = 1 - shrink
    return (scores @ scores.T) * kernel + cubed * difference + trace


def target_score(target: Any, loss: Any, method: Any, prior: Any) -> Score:
    """grad log q* of a target: -grad loss / kl_weight + grad log p, and for DRLE the interaction's part by differences.

    The interaction is smooth, and known from the difference between log q* and the rest.

    Parameters
    ----------
    target : target with a density, without edges
    loss, method, prior
        As they were for the target.

    Returns
    -------
    callable
        From points (n, dim) to an array (n, dim).

    Raises
    ------
    ValueError
        If the prior is bounded: Stein's identity then lacks a term for the edges.
    """
    parts.target(target, density=True, dim=parts.loss(loss).dim)
    parts.same_dim("prior", parts.prior(prior).dim, loss.dim)
    if np.any(np.isfinite(prior.low) | np.isfinite(prior.high)):
        raise ValueError("prior is bounded; the Stein discrepancy needs a density without edges")
    kl_weight = arguments.positive("kl_weight of the method", parts.weighted(method).kl_weight)
    interacting = float(getattr(method, "mmd_weight", 0.0)) > 0.0
    step = DIFFERENCE * np.sqrt(np.maximum(np.reshape(target.variance, -1), 1e-300))

    def interaction(x: Array) -> Array:
        return target.log_pdf(x) + loss.value(x) / kl_weight - prior.log_density(x)

    def score(x: Array) -> Array:
        slope = -loss.gradient(x) / kl_weight + prior.gradient(x)
        if interacting:
            for i, width in enumerate(step):
                shift = np.zeros(x.shape[1])
                shift[i] = width
                slope[:, i] += (interaction(x + shift) - interaction(x - shift)) / (2.0 * width)
        return slope

    return score
