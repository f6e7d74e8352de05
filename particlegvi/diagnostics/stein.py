"""The kernel Stein discrepancy of particles to a distribution with a known score (Liu, Lee and Jordan, 2016; Gorham and
Mackey, 2017), whose density need not be normalised.

    KSD^2 = E u(X, X'),   u(x, y) = s(x).s(y) k + s(x).grad_y k + s(y).grad_x k + tr grad_x grad_y k

with the score s = grad log q and the inverse multiquadric k(x, y) = (1 + |x - y|^2 / c^2)^(-1/2), which detects
escaping particles (Gorham and Mackey, 2017, Theorem 8). It is sensitive to the shape of each mode, but hardly to
the masses of modes that are far apart: use occupancies for these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.diagnostics.discrepancy import squared_distances
from particlegvi.diagnostics.particles import in_space
from particlegvi.tools import arguments, parts

if TYPE_CHECKING:
    from particlegvi.contracts import Loss, Method, Prior
    from particlegvi.targets.density import DensityTarget

Score = Callable[[Array], Array]
DIFFERENCE = 1e-4  # half width of a central difference, in standard deviations


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
        Computed in n^2 operations and n^2 numbers of memory.
    """
    return float(np.sqrt(max(kernel_stein_discrepancy_squared(particles, score, lengthscale, unbiased=False), 0.0)))


def kernel_stein_discrepancy_squared(
    particles: ArrayLike, score: Score, lengthscale: float = 1.0, unbiased: bool = True
) -> float:
    """KSD^2: by default the U-statistic (Liu, Lee and Jordan, 2016, (14)), unbiased for the particles' distribution.

    It may be negative.

    Parameters
    ----------
    particles : array (n, dim), in 1-D also (n,)
        At least two for the U-statistic.
    score : callable
        Gradient of the log density at points (n, dim), as an array (n, dim); see `target_score`.
    lengthscale : float
        c above.
    unbiased : bool
        False takes the V-statistic, with self pairs.

    Returns
    -------
    float
    """
    x = in_space(particles)
    parts.function("score", score)
    lengthscale = arguments.scale("lengthscale", lengthscale)
    table = stein_kernel(x, score_at(score, x), lengthscale)
    if not arguments.flag("unbiased", unbiased):
        return float(table.mean())
    if len(x) < 2:
        raise ValueError("particles must be at least two for an unbiased KSD^2, not one")
    return float((table.sum() - np.trace(table)) / (len(x) * (len(x) - 1.0)))


def score_at(score: Score, x: Array) -> Array:
    """The score at points (n, dim), checked."""
    return parts.returned("score", score(x), x.shape)


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
    parts.target(target, density=True, dim=parts.loss(loss).dim)
    parts.same_dim("prior", parts.prior(prior).dim, loss.dim)
    if np.any(np.isfinite(prior.low) | np.isfinite(prior.high)):
        raise ValueError("prior must be unbounded for a Stein discrepancy, which needs a density without edges")
    kl_weight = arguments.positive("kl_weight of the method", parts.method(method).kl_weight)
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
