"""Expectations under a prior on the line, by scipy's adaptive rule; terms, a kernel and a prior of users."""

import math
from typing import NamedTuple

import numpy as np
from scipy import integrate


class Cauchy(NamedTuple):
    """A kernel that a user might add, without a mixing density."""

    lengthscale: float
    name, variance = "cauchy", 1.0

    def value(self, r2):
        return 1.0 / (1.0 + r2 / self.lengthscale**2)

    def slope(self, r2):
        return -1.0 / self.lengthscale**2 / (1.0 + r2 / self.lengthscale**2) ** 2


class Own:
    """A prior of a user, of which the package knows draws, density and moments, and nothing in closed form."""

    name = "mine"

    def __init__(self, base):
        self.base, self.dim = base, base.dim
        self.low, self.high, self.mean, self.sd = base.low, base.high, base.mean, base.sd
        self.log_density, self.sample = base.log_density, base.sample


def mean_of(function, prior, x):
    """E function(T), split where the kernel around x or the density may have a kink."""
    low, high = max(float(prior.low[0]), x - 39.0), min(float(prior.high[0]), x + 39.0)
    integrand = lambda t: function(t) * math.exp(float(prior.log_density(np.array([[t]]))[0]))
    cuts = [low, *sorted({place for place in (x, 0.0, 0.2, 0.3) if low < place < high}), high]
    parts = zip(cuts[:-1], cuts[1:], strict=True)
    return sum(integrate.quad(integrand, *part, epsabs=1e-13, epsrel=1e-11, limit=500)[0] for part in parts)


def embedded(prior, kernel, x):
    """E kappa(x, T) at places x (n,)."""
    return np.array([mean_of(lambda t, a=a: kernel.value((a - t) ** 2), prior, float(a)) for a in x])


def values(term, points):
    """In plain Python: nothing is compiled, so that the tests of the mathematics are quick."""
    return np.array([term.value(point) for point in points])


def gradients(term, points):
    out = np.full(points.shape, np.nan)
    for point, row in zip(points, out, strict=True):
        term.gradient(point, row)
    return out
