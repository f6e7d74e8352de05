"""Student's t as a prior with independent coordinates: heavy tails, as a mixture of Gaussians over their scale."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.engine.numerics import noise
from particlegvi.priors.parameters import CentreAndScale
from particlegvi.tools.arguments import frozen, locations, real, refuse, whole
from particlegvi.tools.calls import explains_bad_calls

MOST_DEGREES = 1e6
SPACING, FEWEST = 0.25, 100  # spacing and least number of the trapezoidal rule's nodes, over log precisions
DROP = 45.0  # nodes at which the log mixing density is further below its largest value are left out


@explains_bad_calls
class StudentT(CentreAndScale):
    """Student's t prior, independent coordinates of the same degrees of freedom.

    Parameters
    ----------
    degrees_of_freedom : float
        From 0.1 to 1e6; 1 is Cauchy's distribution, many are a normal one.
    location, scale : float or array (dim,)
        Centre and scale of each coordinate, the scale positive. One number stands for every coordinate.

    Attributes
    ----------
    dim : int
    degrees_of_freedom : float
    location, scale : arrays (dim,)
    mean, sd : arrays (dim,)
        With more than 2 degrees of freedom; there are none otherwise.
    low, high : arrays (dim,)
        Minus and plus infinity.
    """

    name = "student-t"
    written = ("degrees_of_freedom", "location", "scale")
    location: Array
    scale: Array

    def __init__(self, degrees_of_freedom: float = 3.0, location: ArrayLike = 0.0, scale: ArrayLike = 1.0) -> None:
        allowed = f"a number from 0.1 to {MOST_DEGREES:g}"
        self.degrees_of_freedom = real("degrees_of_freedom", degrees_of_freedom, allowed)
        if not 0.1 <= self.degrees_of_freedom <= MOST_DEGREES:
            raise refuse("degrees_of_freedom", degrees_of_freedom, allowed)
        self.place(location, scale)
        if self.degrees_of_freedom > 2.0:
            self.mean = self.location
            self.sd = frozen(self.scale * math.sqrt(self.degrees_of_freedom / (self.degrees_of_freedom - 2.0)))

    def _log_scale(self) -> float:
        nu = self.degrees_of_freedom
        one = math.lgamma(0.5 * nu) - math.lgamma(0.5 * (nu + 1.0)) + 0.5 * math.log(nu * math.pi)
        return float(np.sum(np.log(self.scale))) + self.dim * one

    def log_density(self, x: ArrayLike) -> Array:
        """log p at points (n, dim), shape (n,)."""
        z = (locations(x, self.dim) - self.location) / self.scale
        nu = self.degrees_of_freedom
        with np.errstate(over="ignore"):
            return np.asarray(-0.5 * (nu + 1.0) * np.log1p(z * z / nu).sum(axis=1) - self._log_scale())

    def gradient(self, x: ArrayLike) -> Array:
        """Gradient of log p at points (n, dim), shape (n, dim)."""
        z = (locations(x, self.dim) - self.location) / self.scale
        nu = self.degrees_of_freedom
        with np.errstate(over="ignore"):
            return np.asarray(-(nu + 1.0) * z / (nu + z * z) / self.scale)

    def sample(self, particles: int, seed: int = 0, role: str = "start") -> Array:
        """Independent draws, shape (particles, dim): functions of the seed, the role and their index alone.

        sqrt(nu (exp(R^2 / nu) - 1)) cos(angle) for a normal point of the plane in polar coordinates (Bailey, 1994).
        """
        z = noise.normals(seed, role, whole("particles", particles, 1), 2 * self.dim)
        first, second = z[:, : self.dim], z[:, self.dim :]
        square, nu = first * first + second * second, self.degrees_of_freedom
        return self.location + self.scale * (np.sqrt(nu * np.expm1(square / nu)) * (first / np.sqrt(square)))

    def cdf(self, x: Array, coordinate: int = 0) -> Array:
        """Probability that a coordinate is at most x, for x of any shape."""
        from scipy.special import stdtr

        z = (np.asarray(x) - self.location[coordinate]) / self.scale[coordinate]
        return np.asarray(stdtr(self.degrees_of_freedom, z))

    def quantile(self, u: Array, coordinate: int = 0) -> Array:
        """The x with ``cdf(x, coordinate) = u``, for u of any shape."""
        from scipy.special import stdtrit

        z = stdtrit(self.degrees_of_freedom, np.asarray(u))
        return np.asarray(self.location[coordinate] + self.scale[coordinate] * z)

    def term(self) -> StudentTTerm:
        """Minus the log density, for the engine."""
        return StudentTTerm(self.location.copy(), 1.0 / self.scale, self.degrees_of_freedom, self._log_scale())

    def centres(self, i: int) -> Array:
        """Where the averages over coordinate i have their features."""
        return self.location[i : i + 1]

    def average(self, i: int, lengthscale: float, x: Array) -> tuple[Array, Array]:
        """E exp(-(x - T_i)^2 / (2 s^2)) for the lengthscale s, and its derivative, both at x (n,).

        T is normal with variance scale^2 / w given w, which has a Gamma law with shape and rate nu / 2. Over log w the
        trapezoidal rule converges geometrically, so that only the error of rounding remains.
        """
        log_precisions, shares = self._mixture()
        gap = (x - self.location[i]) / lengthscale
        with np.errstate(over="ignore"):
            shrink = 1.0 / (1.0 + (self.scale[i] / lengthscale) ** 2 * np.exp(-log_precisions))
            levels = shares * np.sqrt(shrink) * np.exp(-0.5 * np.outer(gap * gap, shrink))
        return levels.sum(axis=1), -gap / lengthscale * (levels * shrink).sum(axis=1)

    def _mixture(self) -> tuple[Array, Array]:
        """Nodes of log w, and their shares, which add up to 1."""
        shape = 0.5 * self.degrees_of_freedom

        def log_weight(v: Array) -> Array:
            return shape * (v - np.expm1(np.minimum(v, 700.0)) - 1.0)  # up to a constant; its maximum is 0, at v = 0

        reach = np.concatenate([-np.geomspace(1e-4, 2000.0, 4000)[::-1], np.geomspace(1e-4, 12.0, 4000)])
        level = log_weight(reach)
        kept = reach[level > level.max() - DROP]
        nodes = np.linspace(kept[0], kept[-1], max(FEWEST, math.ceil((kept[-1] - kept[0]) / SPACING)))
        shares = np.exp(log_weight(nodes) - level.max())
        return nodes, shares / shares.sum()


class StudentTTerm(NamedTuple):
    """Minus the log density of a Student t prior."""

    location: Array
    rate: Array  # 1 / scale
    degrees_of_freedom: float
    log_scale: float

    def value(self, x: Array) -> float:
        total = self.log_scale
        for i in range(x.shape[0]):
            z = (x[i] - self.location[i]) * self.rate[i]
            total += 0.5 * (self.degrees_of_freedom + 1.0) * math.log1p(z * z / self.degrees_of_freedom)
        return total

    def gradient(self, x: Array, out: Array) -> None:
        for i in range(x.shape[0]):
            z = (x[i] - self.location[i]) * self.rate[i]
            out[i] = (self.degrees_of_freedom + 1.0) * z / (self.degrees_of_freedom + z * z) * self.rate[i]
