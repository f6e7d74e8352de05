"""Likelihoods of numbers: Gaussian noise, heavy-tailed noise, and noise that shifts an unknown part of the targets."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.likelihoods.likelihood import Likelihood, Random, checked, generator

ROOT_2_PI = math.sqrt(2.0 * math.pi)


class _Normal(NamedTuple):
    noise_variance: float


class Gaussian(_Normal, Likelihood):
    """Gaussian noise: y = f(x) + N(0, noise_variance), with the cost (y - f)^2 / (2 noise_variance).

    Parameters
    ----------
    noise_variance : float
        sigma^2, in squared units of y; positive.
    """

    __slots__ = ()

    name = "gaussian"
    source = "thesis, (D.211)"
    convex = True
    quadratic = True

    def __new__(cls, noise_variance: float) -> Gaussian:
        return super().__new__(cls, *checked(noise_variance=noise_variance))

    @property
    def curvature_bound(self) -> float:  # type: ignore[override]
        """1 / sigma^2."""
        return 1.0 / self.noise_variance

    def cost_at(self, f: float, y: float) -> float:
        return 0.5 * (y - f) * (y - f) / self.noise_variance

    def slope_at(self, f: float, y: float) -> float:
        return (f - y) / self.noise_variance

    def curvature_at(self, f: float, y: float) -> float:
        return 1.0 / self.noise_variance

    def information(self, f: ArrayLike) -> Array:
        return np.full(np.shape(f), 1.0 / self.noise_variance)

    def log_density(self, y: ArrayLike, f: ArrayLike) -> Array:
        return -self.cost(f, y) - 0.5 * math.log(2.0 * math.pi * self.noise_variance)

    def mean(self, f: ArrayLike) -> Array:
        return np.asarray(f, dtype=np.float64)

    def variance(self, f: ArrayLike) -> Array:
        return np.full(np.shape(f), self.noise_variance)

    def sample(self, f: ArrayLike, random: Random = None) -> Array:
        return generator(random).normal(self.mean(f), math.sqrt(self.noise_variance))


class _Student(NamedTuple):
    degrees_of_freedom: float
    scale: float


class StudentT(_Student, Likelihood):
    """Student-t noise: y = f(x) + scale * t, with the cost (nu + 1)/2 log(1 + (y - f)^2 / (nu scale^2)).

    Not convex: one outlier hardly pulls, so that a posterior may have several modes.

    Parameters
    ----------
    degrees_of_freedom : float
        nu, positive; the variance of y is infinite up to 2 and the mean undefined up to 1.
    scale : float
        In the units of y, positive.
    """

    __slots__ = ()

    name = "student-t"
    source = "Vanhatalo, Jylanki and Vehtari, Gaussian process regression with Student-t likelihood, 2009"

    def __new__(cls, degrees_of_freedom: float, scale: float) -> StudentT:
        return super().__new__(cls, *checked(degrees_of_freedom=degrees_of_freedom, scale=scale))

    @property
    def curvature_bound(self) -> float:  # type: ignore[override]
        """(nu + 1) / (nu scale^2), at f = y."""
        return (self.degrees_of_freedom + 1.0) / (self.degrees_of_freedom * self.scale**2)

    @property
    def slope_bound(self) -> float:  # type: ignore[override]
        """(nu + 1) / (2 sqrt(nu) scale), at ``|y - f|`` = sqrt(nu) scale."""
        return (self.degrees_of_freedom + 1.0) / (2.0 * math.sqrt(self.degrees_of_freedom) * self.scale)

    def cost_at(self, f: float, y: float) -> float:
        t = (f - y) / self.scale
        return 0.5 * (self.degrees_of_freedom + 1.0) * math.log1p(t * t / self.degrees_of_freedom)

    def slope_at(self, f: float, y: float) -> float:
        t = (f - y) / self.scale
        return (self.degrees_of_freedom + 1.0) * t / ((self.degrees_of_freedom + t * t) * self.scale)

    def curvature_at(self, f: float, y: float) -> float:
        t = (f - y) / self.scale
        below = self.degrees_of_freedom + t * t
        above = (self.degrees_of_freedom + 1.0) * (self.degrees_of_freedom - t * t)
        return above / (below * below * self.scale * self.scale)

    def information(self, f: ArrayLike) -> Array:
        """Fisher information about f: (nu + 1) / ((nu + 3) scale^2)."""
        nu = self.degrees_of_freedom
        return np.full(np.shape(f), (nu + 1.0) / ((nu + 3.0) * self.scale**2))

    def log_density(self, y: ArrayLike, f: ArrayLike) -> Array:
        nu = self.degrees_of_freedom
        constant = math.lgamma(0.5 * (nu + 1.0)) - math.lgamma(0.5 * nu)
        return constant - 0.5 * math.log(nu * math.pi) - math.log(self.scale) - self.cost(f, y)

    def mean(self, f: ArrayLike) -> Array:
        """Mean of y given f, nan where there is none."""
        centre = np.array(f, dtype=np.float64)
        return centre if self.degrees_of_freedom > 1.0 else np.full(centre.shape, np.nan)

    def variance(self, f: ArrayLike) -> Array:
        """Variance of y given f, infinite up to nu = 2."""
        nu = self.degrees_of_freedom
        return np.full(np.shape(f), self.scale**2 * nu / (nu - 2.0) if nu > 2.0 else np.inf)

    def sample(self, f: ArrayLike, random: Random = None) -> Array:
        centre = np.asarray(f, dtype=np.float64)
        return centre + self.scale * generator(random).standard_t(self.degrees_of_freedom, centre.shape)


class _Shifted(NamedTuple):
    shift: float
    noise_variance: float
    probability: float = 0.5


class ShiftedMixture(_Shifted, Likelihood):
    """Multimodal regression: y = f(x) + N(0, noise_variance), plus ``shift`` with a probability.

    The cost is -log((1 - probability) N(y; f, noise_variance) + probability N(y; f + shift, noise_variance)) up to a
    constant. Where the shift is large against the noise it is not convex, and the posterior has a mode for every way
    of saying which targets were shifted that the prior finds smooth.

    Parameters
    ----------
    shift : float
        In the units of y; not zero.
    noise_variance : float
        sigma^2, positive.
    probability : float
        Probability that a target was shifted, between 0 and 1.
    """

    __slots__ = ()

    name = "shifted-mixture"
    source = "the multimodal regression of the thesis's code"

    def __new__(cls, shift: float, noise_variance: float, probability: float = 0.5) -> ShiftedMixture:
        size, variance, share = checked(
            shift=abs(shift) if isinstance(shift, int | float | np.number) else shift,
            noise_variance=noise_variance,
            probability=probability,
        )
        if share >= 1.0:
            raise ValueError(f"probability must be a number between 0 and 1, not {share:g}")
        return super().__new__(cls, math.copysign(size, shift), variance, share)

    @property
    def curvature_bound(self) -> float:  # type: ignore[override]
        """1 / noise_variance."""
        return 1.0 / self.noise_variance

    def cost_at(self, f: float, y: float) -> float:
        r = y - f
        a = -0.5 * r * r / self.noise_variance + math.log1p(-self.probability)
        b = -0.5 * (r - self.shift) * (r - self.shift) / self.noise_variance + math.log(self.probability)
        return -(max(a, b) + math.log1p(math.exp(-math.fabs(a - b))))

    def slope_at(self, f: float, y: float) -> float:
        r = y - f
        t = (r - 0.5 * self.shift) * self.shift / self.noise_variance
        t += math.log(self.probability) - math.log1p(-self.probability)
        small = math.exp(-math.fabs(t))
        upper = 1.0 / (1.0 + small)
        shifted = upper if t >= 0.0 else small * upper  # the probability that this target was shifted
        return (self.shift * shifted - r) / self.noise_variance

    def curvature_at(self, f: float, y: float) -> float:
        r = y - f
        t = (r - 0.5 * self.shift) * self.shift / self.noise_variance
        t += math.log(self.probability) - math.log1p(-self.probability)
        small = math.exp(-math.fabs(t))
        spread = small / ((1.0 + small) * (1.0 + small))
        ratio = self.shift / self.noise_variance
        return 1.0 / self.noise_variance - ratio * ratio * spread

    def levels(self, y: Array) -> Array:
        return np.stack([y, y - self.shift])

    def information(self, f: ArrayLike) -> Array:
        """An upper bound of the Fisher information about f, reached where the two parts do not overlap."""
        return np.full(np.shape(f), 1.0 / self.noise_variance)

    def log_density(self, y: ArrayLike, f: ArrayLike) -> Array:
        return -self.cost(f, y) - math.log(ROOT_2_PI) - 0.5 * math.log(self.noise_variance)

    def mean(self, f: ArrayLike) -> Array:
        return np.asarray(f, dtype=np.float64) + self.probability * self.shift

    def variance(self, f: ArrayLike) -> Array:
        between = self.probability * (1.0 - self.probability) * self.shift**2
        return np.full(np.shape(f), self.noise_variance + between)

    def sample(self, f: ArrayLike, random: Random = None) -> Array:
        draw = generator(random)
        centre = np.asarray(f, dtype=np.float64)
        shifted = draw.random(centre.shape) < self.probability
        return draw.normal(centre + self.shift * shifted, math.sqrt(self.noise_variance))
