"""The Laplace prior with independent coordinates."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.engine.numerics import noise
from particlegvi.priors.parameters import CentreAndScale
from particlegvi.tools.arguments import frozen, locations, whole
from particlegvi.tools.calls import explains_bad_calls


@explains_bad_calls
class Laplace(CentreAndScale):
    """Laplace prior, independent coordinates with the density ``exp(-|x - location| / scale)`` / (2 scale).

    Parameters
    ----------
    location : float or array (dim,)
        Centre; a number on the line.
    scale : float or array (dim,)
        Mean distance to the centre, positive. One number for either parameter stands for every coordinate.

    Attributes
    ----------
    dim : int
    location, scale : arrays (dim,)
    mean, sd : arrays (dim,)
        The location, and sqrt(2) scale.
    low, high : arrays (dim,)
        Minus and plus infinity.
    """

    name = "laplace"
    written = ("location", "scale")
    location: Array
    scale: Array

    def __init__(self, location: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> None:
        self.place(location, scale)
        self.mean, self.sd = self.location, frozen(math.sqrt(2.0) * self.scale)

    def log_density(self, x: ArrayLike) -> Array:
        """log p at points (n, dim), shape (n,)."""
        away = np.abs(locations(x, self.dim) - self.location) / self.scale
        return np.asarray(-away.sum(axis=1) - np.sum(np.log(2.0 * self.scale)))

    def gradient(self, x: ArrayLike) -> Array:
        """Gradient of log p at points (n, dim), shape (n, dim); 0 at the centre."""
        return np.asarray(-np.sign(locations(x, self.dim) - self.location) / self.scale)

    def sample(self, particles: int, seed: int = 0, role: str = "start") -> Array:
        """Independent draws, shape (particles, dim): functions of the seed, the role and their index alone.

        Half the difference of two sums of two squared normals, each twice an exponential draw.
        """
        z = noise.normals(seed, role, whole("particles", particles, 1), 4 * self.dim) ** 2
        first, second, third, fourth = z.reshape(len(z), 4, self.dim).transpose(1, 0, 2)
        return self.location + self.scale * (0.5 * (first + second - third - fourth))

    def cdf(self, x: Array, coordinate: int = 0) -> Array:
        """Probability that a coordinate is at most x, for x of any shape."""
        z = (np.asarray(x) - self.location[coordinate]) / self.scale[coordinate]
        tail = 0.5 * np.exp(-np.abs(z))
        return np.where(z < 0.0, tail, 1.0 - tail)

    def quantile(self, u: Array, coordinate: int = 0) -> Array:
        """The x with ``cdf(x, coordinate) = u``, for u of any shape."""
        u = np.asarray(u)
        with np.errstate(divide="ignore"):
            z = np.where(u < 0.5, np.log(2.0 * np.minimum(u, 0.5)), -np.log(2.0 * np.minimum(1.0 - u, 0.5)))
        return np.asarray(self.location[coordinate] + self.scale[coordinate] * z)

    def term(self) -> LaplaceTerm:
        """Minus the log density, for the engine."""
        return LaplaceTerm(self.location.copy(), 1.0 / self.scale, float(np.sum(np.log(2.0 * self.scale))))

    def centres(self, i: int) -> Array:
        """Where the averages over coordinate i have their features."""
        return self.location[i : i + 1]

    def average(self, i: int, lengthscale: float, x: Array) -> tuple[Array, Array]:
        """E exp(-(x - T_i)^2 / (2 s^2)) for the lengthscale s, and its derivative, both at x (n,).

        With z = x - location and scale b it is sqrt(2 pi) s / (4 b) (A(z) + A(-z)), where

            A(z) = exp(s^2 / (2 b^2) - z / b) erfc(u),  u = (s / b - z / s) / sqrt(2),

        and the derivative sqrt(2 pi) s / (4 b^2) (A(-z) - A(z)): the Gaussians that both sides leave cancel.
        """
        z, b, s = x - self.location[i], float(self.scale[i]), lengthscale
        above, below = one_side(z, b, s), one_side(-z, b, s)
        height = math.sqrt(2.0 * math.pi) * s / (4.0 * b)
        return height * (above + below), height / b * (below - above)


def one_side(z: Array, b: float, s: float) -> Array:
    """A(z) of `Laplace.average`: the exponent is u^2 - z^2 / (2 s^2), so that nothing overflows where u is large."""
    from scipy.special import erfc, erfcx

    with np.errstate(over="ignore", invalid="ignore"):
        u = (s / b - z / s) / math.sqrt(2.0)
        scaled = np.exp(-0.5 * (z / s) ** 2) * erfcx(np.maximum(u, 0.0))
        return np.where(u > 0.0, scaled, np.exp(np.minimum(0.5 * (s / b) ** 2 - z / b, 0.0)) * erfc(u))


class LaplaceTerm(NamedTuple):
    """Minus the log density of a Laplace prior."""

    location: Array
    rate: Array  # 1 / scale
    log_scale: float

    def value(self, x: Array) -> float:
        total = self.log_scale
        for i in range(x.shape[0]):
            total += math.fabs(x[i] - self.location[i]) * self.rate[i]
        return total

    def gradient(self, x: Array, out: Array) -> None:
        for i in range(x.shape[0]):
            gap = x[i] - self.location[i]
            out[i] = self.rate[i] if gap > 0.0 else (-self.rate[i] if gap < 0.0 else 0.0 * gap)
