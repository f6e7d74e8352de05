"""Independent references: quadrature by scipy, brute force on grids, and losses in plain numpy."""

import itertools
import math
import warnings

import numpy as np
from scipy.integrate import IntegrationWarning, quad

import particlegvi as pg


def line_loss(value, gradient=None):
    """A loss on the line from a function of t (and its derivative, by differences if it is not given)."""
    slope = gradient or (lambda t: (value(t + 1e-6) - value(t - 1e-6)) / 2e-6)
    return pg.Loss.from_numpy(lambda x: value(x[:, 0]), lambda x: slope(x[:, :1]), 1)


def plane_loss(value):
    """A loss in the plane from a function of x and y."""
    return pg.Loss.from_numpy(lambda x: value(x[:, 0], x[:, 1]), "differences", 2)


def tilted(t):
    """The loss of Figure 5.2."""
    return 1.5 * (t**4 / 4.0 + t**3 / 3.0 - t**2) - 0.375


def integral(function, low, high, points):
    """scipy's adaptive Gauss-Kronrod rule (QUADPACK) between and beyond the given points."""
    edges = [low, *sorted(point for point in points if low < point < high), high]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IntegrationWarning)  # rounding is reached
        parts = [quad(function, a, b, epsabs=0.0, epsrel=1e-11, limit=400)[0] for a, b in itertools.pairwise(edges)]
    return math.fsum(parts)


def l1_between(target, density, low, high, number=40_001):
    """L1 distance between a target's density and another on a fine grid."""
    x = np.linspace(low, high, number)
    gap = np.abs(target.pdf(x) - density(x))
    return float(np.sum(gap) * (x[1] - x[0]))


def picard(log_weight, embedding, kappa, strength, x, damping, steps):
    """The fixed point on a uniform grid by damped iteration: slow, and another method than the package's."""
    h = x[1] - x[0]
    matrix = kappa(np.abs(x[:, None] - x[None, :])) * h

    def normalised(level):
        q = np.exp(level - level.max())
        return q / (q.sum() * h)

    q = normalised(log_weight)
    for _ in range(steps):
        q = (1.0 - damping) * q + damping * normalised(log_weight + strength * (embedding - matrix @ q))
    return q
