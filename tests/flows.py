"""Problems, groups of steps, and the printed update in numpy, which tests of several folders share."""

import numpy as np

from particlegvi import priors
from particlegvi.engine.numerics import noise
from particlegvi.methods.flow import ParticleProblem


def problem(loss, prior, start, steps=100, step_size=0.05, seed=0, integrator="euler-maruyama"):
    start = np.atleast_2d(np.asarray(start, dtype=np.float64))
    return ParticleProblem(loss, prior, start, steps, step_size, seed, integrator, 1e-12)


def advanced(flow, grouping, step=0):
    """The flow after groups of so many steps."""
    for size in grouping:
        flow.advance(step, size)
        step += size
    return flow


def by_pairs(kernel, x):
    """1/N sum_j grad_1 kappa(x_i, x_j), a sum over pairs in numpy."""
    difference = x[:, None, :] - x[None, :, :]
    slope = np.vectorize(kernel.slope)((difference**2).sum(-1))
    return (2.0 * slope[..., None] * difference).mean(axis=1)


def mirrored(y, prior):
    """y reflected at the walls, and -1 for coordinates that were turned round, by unfolding step for step."""
    y, sign = y.copy(), np.ones_like(y)
    while np.any(out := (y < prior.low) | (y > prior.high)):
        wall = np.where(y < prior.low, prior.low, prior.high)
        y = np.where(out, 2.0 * np.broadcast_to(wall, y.shape) - y, y)
        sign = np.where(out, -sign, sign)
    return y, sign


def printed_drift(gradient, method, prior, x):
    """The drift (C.123) at particles x (n, dim) of a free-energy method, with the gradient of the loss there."""
    total = gradient.reshape(x.shape) - method.kl_weight * prior.gradient(x)
    if method.mmd_weight > 0.0:
        pull, embedding = np.empty_like(x), priors.embedding(prior, method.kernel).term
        for i, point in enumerate(x):
            embedding.gradient(point, pull[i])
        total = total + 2.0 * method.mmd_weight * (by_pairs(method.kernel, x) - pull)
    return total


def numpy_run(scheme, loss, method, prior, x, sizes, seed):
    """Steps of these sizes by the thesis's drift (C.123) with the engine's noise: an oracle for free-energy methods.

    The loss may be a function of points and the number of a step, the gradient on the batch of the step.
    """
    gradient = loss if callable(loss) else lambda x, step: loss.gradient(x)
    drift = lambda x: printed_drift(gradient(x, step), method, prior, x)
    for step, h in enumerate(sizes):
        added = np.sqrt(2.0 * h * method.kl_weight) * noise.normals(seed, "noise", *x.shape, step)
        slope = drift(x)
        if scheme == "heun":
            y, sign = mirrored(x - h * slope + added, prior)
            slope = 0.5 * (slope + sign * drift(y))
        x, _ = mirrored(x - h * slope + added, prior)
    return x
