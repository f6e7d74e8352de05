"""Affine invariant Langevin dynamics: steps that are scaled by the covariance of the ensemble."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.integrators import Step, StepCoefficients, StepSize, integrator
from particlegvi.integrators.schemes import euler_maruyama

MEMORY = 100  # steps over which the share is averaged
CORNERS = 4  # reflections of a step that meets several walls


def rate(root: Array, slopes: Array) -> float:
    """How fast the steepest direction of an ensemble moves, from a root of C and gradients of V (particles, dim).

    The root of the largest eigenvalue of C^(1/2) E[grad V grad V^T] C^(1/2) (Hoffman and Sountsov 2022, section 3.2):
    for a quadratic with Hessian H the largest eigenvalue of C H, which is kl_weight where a normal law is stationary.
    """
    scaled = np.einsum("ni,ij->nj", slopes, root)
    squares = np.einsum("ni,nj->ij", scaled, scaled) / len(slopes)
    return math.sqrt(np.linalg.eigvalsh(squares)[-1]) if np.all(np.isfinite(squares)) else math.inf


def facts(kept: Array) -> Facts:
    """The relative error of the variance that is expected, by the share u of its distance that a particle moves.

    It is that of the steepest direction. A step multiplies a variance s by (1 - u)^2 and adds 2 h kl_weight s. It stays
    where u / (h kl_weight), which is 1 in the exact law, is 1 / (1 - u / 2); beyond u = 2 it grows for ever.
    """
    share = float(kept[0, 0])
    return {"expected_bias": share / (2.0 - share) if share < 2.0 else math.inf}


def inside(points: Array, covariance: Array, reflected: Callable[[Array], tuple[Array, Array]]) -> Array:
    """Points (particles, dim) that are reflected at walls along C n, for a wall with the normal n.

    No mass flows through a wall where n C grad p + n C p grad V is 0; particles that move by C and are reflected along
    n itself have another law, where C has correlations.
    """
    along = covariance / covariance.diagonal()[:, None]
    for _ in range(CORNERS):
        beyond = reflected(points)[0] - points
        if not np.any(beyond):
            return points
        points = points + np.einsum("ni,ij->nj", beyond, along)
    return reflected(points)[0]


def aldi_step(state: Array, now: Step, correction: float = 1.0) -> None:
    """A step; another factor ``correction`` of the divergence of C makes the law wrong, for controls.

    The last column of the state is the share by which the steepest direction moves in a step, averaged over steps.
    """
    state, share = state[:, :-1], state[:, -1]
    particles, dim = state.shape
    if particles < dim + 2:
        raise ValueError(f'particles must be {dim + 2} or more for "aldi" in {dim} dimensions, not {particles}')
    gaps = state - state.mean(axis=0)
    covariance = np.einsum("ni,nj->ij", gaps, gaps) / particles
    try:
        root = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        if now.number == 0:
            raise ValueError('the start must not lie in a plane for "aldi", which never leaves it') from None
        root = np.full_like(covariance, np.nan)  # overflow, or digits lost to a particle far away: the run diverges
    slopes = now.drift(state)
    share += (now.gain[0] * rate(root, slopes) - share) / min(now.number + 1.0, MEMORY)
    drift = np.einsum("ni,ij->nj", slopes, covariance)
    drift -= correction * now.temperature * (dim + 1.0) / particles * gaps
    noise = np.einsum("ni,ji->nj", now.normals(0), root)
    state[...] = inside(state - (now.gain * drift - now.noise_now * noise), covariance, now.reflected)


@integrator(
    "aldi",
    step=aldi_step,
    columns=lambda dim: 1,
    noise="needed",
    interacting=True,
    limit=lambda curvature: math.inf,
    facts=facts,
)
def aldi(step_size: StepSize, temperature: float, stiffness: Array) -> StepCoefficients:
    """x_n <- x_n - h C grad V(x_n) + h kl_weight (d + 1) / N (x_n - m) + sqrt(2 h kl_weight) C^(1/2) Z_n.

    C is the covariance of all N particles, divided by N, m their mean and d the dimension (Garbuno-Inigo, Nuesken and
    Reich 2020, equation 3.6). The term with d + 1 is the divergence of C: with it N independent draws of DLE's target
    are stationary in continuous time for N > d + 1; without it the ensemble is too narrow. A linear map of the
    coordinates maps the steps, so that one h, such as 0.05, suits every scale once the ensemble has the width of its
    law; at a wide start h must be smaller. The stationary bias is of order h: the variance of a normal law is
    too large by about h kl_weight / 2 of itself, and the result says which bias the last steps let expect.

    The divergence does not depend on V, which may be the energy of all particles together: with a repulsion the law of
    the N particles of DRLE is stationary in the same way. At a wall of the prior particles are reflected along C n.
    """
    return euler_maruyama(step_size, temperature, stiffness)
