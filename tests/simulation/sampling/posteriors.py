"""Posteriors with known laws, as numpy losses without the trial of a user's functions."""

from __future__ import annotations

import numpy as np

import particlegvi as pg
from particlegvi.simulation.sampling.posterior import PosteriorEnergy


class Plain:
    """A loss of two functions of many points."""

    name, term = "plain", None

    def __init__(self, dim, value, gradient):
        self.dim, self.value, self.gradient = dim, value, gradient

    def gradient_at(self, points, step, seed):
        return self.gradient(points)


def posterior(dim, value, gradient):
    return PosteriorEnergy(Plain(dim, value, gradient), pg.priors.Flat(dim), 1.0)


def gaussian(mean, covariance):
    """A normal law (dim,), (dim, dim)."""
    precision = np.linalg.inv(covariance)

    def value(x):
        return 0.5 * np.einsum("ni,ij,nj->n", x - mean, precision, x - mean)

    return posterior(len(mean), value, lambda x: (x - mean) @ precision)


def linear_image(original, matrix):
    """The law of ``matrix @ x`` where x has the law ``original``."""
    inverse = np.linalg.inv(matrix)
    loss = original.loss
    return posterior(loss.dim, lambda x: loss.value(x @ inverse.T), lambda x: loss.gradient(x @ inverse.T) @ inverse)


def quartic():
    """exp(-x^4/4) on the line: x^4 / 4 has the exponential law Gamma(1/4)."""
    return posterior(1, lambda x: x[:, 0] ** 4 / 4.0, lambda x: x**3)


def quartic_draws(number, rng):
    return ((4.0 * rng.gamma(0.25, size=number)) ** 0.25 * rng.choice([-1.0, 1.0], number))[:, None]


def funnel(dim=10):
    """Neal's funnel: v ~ N(0, 9), the others N(0, exp(v))."""

    def value(x):
        v, rest = x[:, 0], x[:, 1:]
        return v**2 / 18.0 + 0.5 * (rest**2).sum(axis=1) * np.exp(-v) + 0.5 * (dim - 1) * v

    def gradient(x):
        v, rest = x[:, 0], x[:, 1:]
        slope = rest * np.exp(-v)[:, None]
        first = v / 9.0 - 0.5 * (rest * slope).sum(axis=1) + 0.5 * (dim - 1)
        return np.column_stack([first, slope])

    return posterior(dim, value, gradient)


def banana():
    def value(x):
        return x[:, 0] ** 2 / 8.0 + 2.0 * (x[:, 1] + 0.5 * x[:, 0] ** 2 - 2.0) ** 2

    def gradient(x):
        off = 4.0 * (x[:, 1] + 0.5 * x[:, 0] ** 2 - 2.0)
        return np.column_stack([x[:, 0] / 4.0 + off * x[:, 0], off])

    return posterior(2, value, gradient)


def two_modes(apart, dim=3):
    """Two equal normals at plus and minus ``apart`` in every coordinate."""

    def value(x):
        return -np.logaddexp(-0.5 * ((x - apart) ** 2).sum(axis=1), -0.5 * ((x + apart) ** 2).sum(axis=1))

    def gradient(x):
        return x - apart * np.tanh(apart * x.sum(axis=1))[:, None]

    return posterior(dim, value, gradient)
