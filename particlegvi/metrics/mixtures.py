"""The prediction of an ensemble in regression: at each input a mixture of Gaussians, one for each member."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from particlegvi.contracts import Array
from particlegvi.tools import arguments

BISECTIONS = 80  # shrink an interval of 80 standard deviations plus the range of the centres to neighbouring floats
REACH = 40.0  # a Gaussian's mass beyond so many standard deviations is 0 in double precision
HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)


class Mixture:
    """At each of n inputs, the equal-weight mixture of N(centres[j, n], sd[j, n]^2) over the members j.

    The standard deviations are a number, (n,) or (members, n), 0 or more; the density needs positive ones.
    """

    def __init__(self, centres: Array, sd: ArrayLike) -> None:
        self.centres = centres
        self.sds = np.broadcast_to(np.asarray(sd, dtype=np.float64), centres.shape)

    def mean(self) -> Array:
        """The mean, (n,)."""
        return self.centres.mean(axis=0)

    def sd(self) -> Array:
        """The standard deviation, (n,)."""
        return np.sqrt(self.centres.var(axis=0) + (self.sds**2).mean(axis=0))

    def cdf(self, values: Array) -> Array:
        """The probability of at most ``values`` (..., n) at each input, (..., n)."""
        distances = np.asarray(values)[..., None, :] - self.centres
        with np.errstate(divide="ignore", invalid="ignore"):
            z = distances / self.sds
        return np.where(self.sds > 0.0, ndtr(z), distances >= 0.0).mean(axis=-2)

    def quantile(self, level: ArrayLike) -> Array:
        """The quantiles by bisection: (n,) for one level above 0 and below 1, (k, n) for k such levels."""
        allowed = "numbers above 0 and below 1"
        numbers = arguments.array("levels", level, allowed)
        if numbers.ndim > 1 or not np.all((numbers > 0.0) & (numbers < 1.0)):
            raise arguments.refuse("levels", level, allowed)
        levels = numbers[..., None]
        low = np.broadcast_to((self.centres - REACH * self.sds).min(axis=0), (*levels.shape[:-1], len(self.sds[0])))
        high = np.broadcast_to((self.centres + REACH * self.sds).max(axis=0), low.shape)
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            below = self.cdf(middle) < levels
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return high

    def log_density(self, y: Array) -> Array:
        """The logarithm of the density at y (n,), shape (n,)."""
        return self._scaled(y) - HALF_LOG_TWO_PI

    def nll(self, y: Array) -> float:
        """The mean negative log density at y (n,), in nats."""
        return -float(np.mean(self._scaled(y))) + HALF_LOG_TWO_PI

    def _scaled(self, y: Array) -> Array:
        """The logarithm of sqrt(2 pi) times the density at y.

        Standard deviations are divided by the first member's, so that equal ones have the logarithm 0 exactly.
        """
        unit = self.sds[0]
        logs = -0.5 * ((y - self.centres) / self.sds) ** 2 - np.log(self.sds / unit)
        top = logs.max(axis=0)  # subtract it: all exponentials underflow far from the members
        return top + np.log(np.mean(np.exp(logs - top), axis=0)) - np.log(unit)
