"""The largest stable step size, estimated where the particles start, and the warning when a step is beyond it.

A plain step is x <- x - G H x + noise near a point, with G the integrator's gains and H the curvature of the whole
flow. It is stable if every eigenvalue of G^(1/2) H G^(1/2) is below 2. With gains of h that is h < 2 / (largest
curvature). An integrator may have a limit of its own, a function of the largest curvature.

H is computed at the starts of the first particles. The loss and the prior give a block for each particle, by
differences of their gradients. The repulsion couples these particles; other particles are ignored, and the mean
embedding is an average over draws from the prior. The limit is an estimate: particles meet steeper places later, and
only the first 32 coordinates count. For networks power steps with differences of the gradient find the steepest
direction, without the repulsion.

On a half-line or in a box V = loss - kl_weight log p may be infinitely steep at a wall, as -log x is. Particles that
start there are soon driven out, and come back seldom, so that the step size of a whole run follows from the starts near
which the law has its mass. Beyond walls the loss need not be defined, so differences stay inside.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from particlegvi import integrators
from particlegvi.contracts import Array, Kernel, Method, Prior
from particlegvi.engine.numerics import noise
from particlegvi.engine.terms import evaluate
from particlegvi.integrators import schedules
from particlegvi.integrators.schemes import linear_part
from particlegvi.kernels.on_outputs import OnFeatures
from particlegvi.methods.flow import ParticleProblem, potential_slope
from particlegvi.methods.free_energy import HasOwnSteps
from particlegvi.methods.repulsion import kernel_from
from particlegvi.priors import Flat
from particlegvi.tools.errors import warn
from particlegvi.tools.objects import has_walls

PARTICLES = 64
COORDINATES = 32
LARGEST_MATRIX = 64
DRAWS = 1000
NETWORKS, POWER_STEPS = 3, 20
EXCESS = 10.0  # energy above the lowest, in units of kl_weight, up to which points count: beyond it lies e^-10 of a law
OF_THE_DISTANCE = 0.01  # largest width of a difference, in distances of the point from the wall


def warn_when_unstable(problem: ParticleProblem, method: Method) -> float:
    """Warn if the largest step size is beyond the stability limit at the start. Return the limit."""
    limit = stability_limit(problem, method)
    step_size = schedules.largest(problem.step_size, problem.steps)
    if step_size > limit:
        what = "the largest step_size" if isinstance(problem.step_size, schedules.Schedule) else "step_size"
        warn(
            f"{what} {step_size:g} is beyond the stability limit of about {limit:.3g}"
            f" at the start of {method.label}; the run may diverge"
        )
    return limit


def stability_limit(problem: ParticleProblem, method: Method) -> float:
    """Largest stable step size at the start; infinite if the integrator has no limit."""
    integrator = integrators.get(problem.integrator)
    own = integrator.limit
    if not method.follows_loss or (own is not None and own(1.0) == math.inf):
        return math.inf
    if isinstance(problem.loss, HasOwnSteps):
        steepest = steepest_direction(problem, method.kl_weight)
        own = own or (lambda curvature: 2.0 / curvature)
    else:
        matrix = curvature(problem, method)
        steepest = float(np.linalg.eigvalsh(matrix)[-1])
    if not steepest > 0.0:
        return math.inf
    if own is not None:
        return own(steepest)
    dim = problem.start.shape[1]
    stiffness = linear_part(method.kl_weight, problem.prior, dim)

    def stable(step_size: float) -> bool:
        gain = integrator(step_size, 1.0, stiffness).gain[:COORDINATES]
        if np.all(gain == gain[0]):
            return bool(gain[0] * steepest <= 2.0)
        root = np.sqrt(np.tile(gain, len(matrix) // len(gain)))
        return bool(np.linalg.eigvalsh(root[:, None] * matrix * root)[-1] <= 2.0)

    # the gain grows with the step size, so that a bisection finds the limit
    low, high = 2e-3 / steepest, 2e6 / steepest
    if stable(high):
        return math.inf
    while high > low * (1.0 + 1e-6):
        middle = math.sqrt(low * high)
        if not low < middle < high:  # the product of two extreme sizes is 0 or infinite
            middle = math.sqrt(low) * math.sqrt(high)
        low, high = (middle, high) if stable(middle) else (low, middle)
    return high


def steepest_direction(problem: ParticleProblem, kl_weight: float = 0.0) -> float:
    """The largest second derivative of loss - kl_weight log p at the first particles, by power steps.

    Networks have too many coordinates for a matrix, and the steepest direction is rarely among the first ones.
    """
    points = problem.start[:NETWORKS]
    number, dim = points.shape
    direction = noise.normals(0, "draws", number, dim)
    width = 1e-5 * (1.0 + np.sqrt((points * points).mean()))
    slope, found = potential_slope(problem.loss.gradient, problem.prior, kl_weight), np.zeros(number)
    for _ in range(POWER_STEPS):
        length = np.sqrt((direction * direction).sum(axis=1, keepdims=True))
        direction /= np.where(length > 0.0, length, 1.0)
        both = np.concatenate([points + width * direction, points - width * direction])
        slopes = slope(both)
        with np.errstate(all="ignore"):
            bend = (slopes[:number] - slopes[number:]) / (2.0 * width)
        bend = np.where(np.isfinite(bend), bend, 0.0)
        found = (direction * bend).sum(axis=1)
        direction = bend
    return float(found.max())


def curvature(problem: ParticleProblem, method: Method) -> Array:
    """The curvature of the flow at the start: of the steepest particle alone, or of all particles if they interact."""
    points = where_the_law_is(problem.start[:PARTICLES], problem.loss.value, problem.prior, method.kl_weight)
    lambda1 = 2.0 * method.mmd_weight
    if lambda1 == 0.0 or isinstance(method.kernel, OnFeatures):
        blocks = _own_curvature(problem, method.kl_weight, points)
        return blocks[np.argmax(np.linalg.eigvalsh(blocks)[:, -1])]
    points = points[: max(LARGEST_MATRIX // min(points.shape[1], COORDINATES), 1)]
    blocks = _own_curvature(problem, method.kl_weight, points)
    kernel, _ = kernel_from(method.kernel, problem.prior, problem.start, problem.seed)
    if not isinstance(problem.prior, Flat):
        draws = problem.prior.sample(DRAWS, seed=problem.seed, role="prior")
        blocks = blocks - lambda1 * _pair_curvature(kernel, points, draws).mean(axis=1)
    number, dim = blocks.shape[:2]
    pairs = lambda1 / number * _pair_curvature(kernel, points, points)
    pairs[np.arange(number), np.arange(number)] = 0.0
    whole = -pairs
    whole[np.arange(number), np.arange(number)] = blocks + pairs.sum(axis=1)
    return whole.transpose(0, 2, 1, 3).reshape(number * dim, number * dim)


def _own_curvature(problem: ParticleProblem, kl_weight: float, points: Array) -> Array:
    """Second derivatives of loss - kl_weight log p at each particle, (particles, dim, dim)."""
    slope = potential_slope(problem.loss.gradient, problem.prior, kl_weight)
    width = 1e-4 * (1.0 + np.abs(points).max())
    found = second_derivatives(slope, points, width, problem.prior, min(points.shape[1], COORDINATES))
    return np.where(np.isfinite(found), found, 0.0)


def _pair_curvature(kernel: Kernel, points: Array, others: Array) -> Array:
    """Second derivatives of kappa(x, y) in x, (n, m, dim, dim): 2 s I + 4 s' (x - y)(x - y)^T.

    s and s' are the first two derivatives of kappa in the squared distance.
    """
    difference = (points[:, None] - others)[..., :COORDINATES]
    square = ((points[:, None] - others) ** 2).sum(axis=-1)
    width = 1e-4 * (square + 1e-3 * kernel.lengthscale**2)
    slope = evaluate.profile_slopes(kernel, square)
    bend = (evaluate.profile_slopes(kernel, square + width) - slope) / width
    outer = difference[..., :, None] * difference[..., None, :]
    return 2.0 * slope[..., None, None] * np.eye(difference.shape[-1]) + 4.0 * bend[..., None, None] * outer


def where_the_law_is(points: Array, value: Callable[[Array], Array], prior: Prior, kl_weight: float) -> Array:
    """The points that decide a step size: all, or with walls the lower half in V and those near the lowest.

    ``value`` is that of the loss, (n,). A point where V is not finite does not count.
    """
    if not has_walls(prior.low, prior.high):
        return points
    with np.errstate(all="ignore"):
        energy = np.asarray(value(points), dtype=np.float64)
        energy = energy - kl_weight * prior.log_density(points) if kl_weight > 0.0 else energy
    finite = energy[np.isfinite(energy)]
    if not len(finite):
        return points
    return points[energy <= max(float(np.median(finite)), float(finite.min()) + EXCESS * kl_weight)]


def second_derivatives(slope: Callable[[Array], Array], points: Array, width: float, prior: Prior, dim: int) -> Array:
    """The symmetric second derivatives of V in the first ``dim`` coordinates, (n, dim, dim), by differences.

    ``slope`` is the gradient of V at points (n, all). A number that cannot be computed is not finite.
    """
    found = np.empty((len(points), dim, dim))
    room = OF_THE_DISTANCE * np.minimum(points - prior.low, prior.high - points)
    for coordinate in range(dim):
        shift = np.zeros(points.shape)
        shift[:, coordinate] = np.where(room[:, coordinate] > 0.0, np.minimum(width, room[:, coordinate]), width)
        above, below = np.minimum(points + shift, prior.high), np.maximum(points - shift, prior.low)
        with np.errstate(all="ignore"):
            apart = (above - below)[:, coordinate, None]
            found[:, coordinate] = (slope(above) - slope(below))[:, :dim] / apart
    return 0.5 * (found + found.transpose(0, 2, 1))
