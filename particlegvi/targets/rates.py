"""Three laws of DRLE on a grid of the line: of a finite time, of a finite number of particles, of a finite step.

Each is at a distance of the minimiser Q* that particles cannot avoid, and has no sampling error. Laws are masses (n,)
of the cells of a `FokkerPlanck`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.linalg import eigvalsh
from scipy.special import roots_hermitenorm

from particlegvi.contracts import Array
from particlegvi.targets.fokker_planck import FokkerPlanck

MODES, NODES = 4, 12  # of the Gaussian field; nodes for each mode
LEAST = 1e-7  # weight of a node, of the largest, below which it is left out
MOST_ITERATIONS = 100
SETTLED = 1e-10  # L1 change
DAMPING = 0.7


class Rate(NamedTuple):
    """Distances at some values of one setting, and the slope of a straight line through them."""

    values: Array
    distances: Array  # W1 to Q*
    slope: float  # of log distance against log value, or against the value itself for a time


def apart(flow: FokkerPlanck, masses: Array, others: Array) -> float:
    """W1 of two laws on the grid."""
    return float(np.abs(np.cumsum(masses - others)).sum()) * flow.width


def finite_number(flow: FokkerPlanck, number: int) -> Array:
    """The law of one of N particles under exp(-E / kl_weight), E the energy of all of them, exactly up to quadrature.

    With q the density of Q*, k the kernel, centred twice under Q*, and c = lambda1 / (N kl_weight), the law of all
    particles is q(x_1) ... q(x_N) exp(-c/2 sum_ij k(x_i, x_j)), because E is quadratic in the empirical measure, and V
    with the field of Q* makes q. A positive definite k is the covariance of a Gaussian field g, so that the sum over
    pairs becomes a mean over g, in which particles are independent (Hubbard and Stratonovich):

        q_N(x) is proportional to q(x) E_g [ e^{i sqrt(c) g(x)} (E_q e^{i sqrt(c) g})^(N - 1) ].

    The mean is a Gauss-Hermite sum over the first `MODES` of g, and the diagonal of the rest is kept.
    """
    assert flow.interaction is not None
    q, k = flow.minimiser(), flow.interaction
    k = k - (k @ q)[:, None] - k @ q + q @ k @ q
    root = np.sqrt(q)
    values, vectors = np.linalg.eigh(root[:, None] * k * root)
    # as integrals under Q*, which are accurate where Q* has no mass as well
    modes = k @ (root[:, None] * vectors[:, -MODES:]) / np.sqrt(np.maximum(values[-MODES:], 1e-300))
    places, weights = roots_hermitenorm(NODES)
    fields = np.stack([nodes.ravel() for nodes in np.meshgrid(*[places] * MODES, indexing="ij")], axis=1)
    share = np.prod(np.meshgrid(*[weights] * MODES, indexing="ij"), axis=0).ravel()
    kept = (share > LEAST * share.max()) & (fields[:, 0] > 0.0)  # the field -g gives the conjugate number
    c = 1.0 / (number * flow.kl_weight)
    with np.errstate(under="ignore"):
        base = q * np.exp(-0.5 * c * (np.diag(k) - np.sum(modes**2, axis=1)))
        waves = np.exp(1j * np.sqrt(c) * fields[kept] @ modes.T)
        law = np.maximum(base * np.real((share[kept] * (waves @ base) ** (number - 1)) @ waves), 0.0)
    return np.asarray(law / law.sum())


def finite_step(flow: FokkerPlanck, step_size: float) -> Array:
    """The law that Euler and Maruyama's step with the field of that law leaves as it is.

    The places of the next step are Gaussians around x - step_size (V + lambda1 kappa * q)'(x), on the grid.
    """
    x, variance, law = flow.centres, 2.0 * step_size * flow.kl_weight, flow.minimiser()
    for _ in range(MOST_ITERATIONS):
        drift = CubicSpline(x, flow.field(law))(x, 1)
        moves = np.exp(-0.5 * (x[:, None] - (x - step_size * drift)) ** 2 / variance)
        moves /= np.maximum(moves.sum(axis=0), 1e-300)
        system = moves - np.eye(len(x))
        system[-1] = 1.0  # the masses sum to one
        new = np.maximum(np.linalg.solve(system, np.append(np.zeros(len(x) - 1), 1.0)), 0.0)
        before, law = law, law + DAMPING * (new / new.sum() - law)
        if np.abs(law - before).sum() <= SETTLED:
            break
    return law


def relaxation(flow: FokkerPlanck) -> float:
    """The smallest rate of the flow linearised at Q*, at which W1 to Q* falls in the end.

    Of eta' = -L (kl_weight/q + lambda1 kappa) eta, with L the flux between cells under Q*: the second eigenvalue of
    the symmetric form in eta / sqrt(q), the first being 0, for the mass.
    """
    root = np.sqrt(np.maximum(flow.minimiser(), 1e-250))
    flux = root[1:] * root[:-1] / flow.width**2
    across = np.diag(np.append(flux, 0.0) + np.append(0.0, flux)) - np.diag(flux, 1) - np.diag(flux, -1)
    inner = flow.kl_weight * np.eye(len(root))
    if flow.interaction is not None:
        inner = inner + root[:, None] * flow.interaction * root
    half = np.linalg.cholesky(inner)
    return float(eigvalsh(half.T @ (across / root[:, None] / root) @ half, subset_by_index=(1, 1))[0])


def in_number(flow: FokkerPlanck, q: Array, numbers: Array) -> Rate:
    """W1 of the law of one of N particles to masses q, those of Q*, and its power of N."""
    return _power(numbers, [apart(flow, finite_number(flow, int(number)), q) for number in numbers])


def in_step(flow: FokkerPlanck, q: Array, step_sizes: Array) -> Rate:
    """W1 of the law of Euler and Maruyama's steps to q, and its power of the falling step sizes."""
    return _power(step_sizes, [apart(flow, finite_step(flow, float(size)), q) for size in step_sizes])


def in_time(flow: FokkerPlanck, q: Array, start: Array, time: float, step_size: float = 0.01) -> Rate:
    """W1 of the flow from a law to q after each step up to a time, and minus its rate over the last quarter."""
    law, far = start, [apart(flow, start, q)]
    for _ in range(round(time / step_size)):
        law = flow.step(law, step_size)
        far.append(apart(flow, law, q))
    times, distances = np.arange(len(far)) * np.float64(step_size), np.array(far)
    late = 3 * len(far) // 4
    slope = np.log(distances[-1] / distances[late]) / (times[-1] - times[late])
    return Rate(times, distances, float(slope))


def _power(values: Array, distances: list[float]) -> Rate:
    """With the power between the last two values, which are nearest to the limit."""
    ratio = np.log(distances[-1] / distances[-2]) / np.log(values[-1] / values[-2])
    return Rate(np.asarray(values, dtype=np.float64), np.array(distances), float(ratio))
