"""Affine invariant Langevin dynamics: steps that are scaled by the covariance of the ensemble."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.contracts import Array
from particlegvi.integrators import Step, Stepping, StepSize, integrator
from particlegvi.integrators.schemes import euler_maruyama


def aldi_step(state: Array, now: Step, correction: float = 1.0) -> None:
    """A step; another factor ``correction`` of the divergence of C makes the law wrong, for controls."""
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
    drift = np.einsum("ni,ij->nj", now.drift(state), covariance)
    drift -= correction * now.temperature * (dim + 1.0) / particles * gaps
    noise = np.einsum("ni,ji->nj", now.normals(0), root)
    state[...] = now.reflected(state - (now.gain * drift - now.noise_now * noise))[0]


@integrator("aldi", step=aldi_step, noise="needed", limit=lambda curvature: math.inf)
def aldi(step_size: StepSize, temperature: float, stiffness: Array) -> Stepping:
    """x_n <- x_n - h C grad V(x_n) + h kl_weight (d + 1) / N (x_n - m) + sqrt(2 h kl_weight) C^(1/2) Z_n.

    C is the covariance of all N particles, divided by N, m their mean and d the dimension (Garbuno-Inigo, Nuesken and
    Reich 2020, equation 3.6). The term with d + 1 is the divergence of C: with it N independent draws of DLE's target
    are stationary in continuous time for N > d + 1; without it the ensemble is too narrow. A linear map of the
    coordinates maps the steps, so that one h, such as 0.05, suits every scale. The stationary bias is of order h.

    The divergence does not depend on V, which may be the energy of all particles together: with a repulsion the law of
    the N particles of DRLE is stationary in the same way.
    """
    return euler_maruyama(step_size, temperature, stiffness)
