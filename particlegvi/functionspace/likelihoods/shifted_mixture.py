"""Regression in which an unknown part of the targets is shifted."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.likelihoods.likelihood import Likelihood, Random, checked, generator

ROOT_2_PI = math.sqrt(2.0 * math.pi)


class _Fields(NamedTuple):
    shift: float
    noise_variance: float
    probability: float = 0.5


class ShiftedMixture(_Fields, Likelihood):
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

    @property
    def slope_lipschitz(self) -> float:
        """The larger of two curvatures of c in size: far away, and halfway between the parts, where c bends down."""
        halfway = 0.25 * (self.shift / self.noise_variance) ** 2 - 1.0 / self.noise_variance
        return max(self.curvature_bound, halfway)

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
        """The targets, and the targets minus the shift."""
        return np.stack([y, y - self.shift])

    def information(self, f: ArrayLike) -> Array:
        """An upper bound of the Fisher information about f, reached where the two parts do not overlap."""
        return np.full(np.shape(f), 1.0 / self.noise_variance)

    def log_density(self, y: ArrayLike, f: ArrayLike) -> Array:
        """log p(y|f)."""
        return -self.cost(f, y) - math.log(ROOT_2_PI) - 0.5 * math.log(self.noise_variance)

    def mean(self, f: ArrayLike) -> Array:
        """Mean of y given f."""
        return np.asarray(f, dtype=np.float64) + self.probability * self.shift

    def variance(self, f: ArrayLike) -> Array:
        """Variance of y given f."""
        between = self.probability * (1.0 - self.probability) * self.shift**2
        return np.full(np.shape(f), self.noise_variance + between)

    def sample(self, f: ArrayLike, random: Random = None) -> Array:
        """Draws of y given f; ``random`` is a numpy Generator or a seed."""
        draw = generator(random)
        centre = np.asarray(f, dtype=np.float64)
        shifted = draw.random(centre.shape) < self.probability
        return draw.normal(centre + self.shift * shifted, math.sqrt(self.noise_variance))
