"""Sums of Gaussians: the mean embeddings of Normal and mixture priors, and kernels in the form of such sums.

By Schoenberg's theorem (1938) a profile that is positive definite in every dimension is a mixture of Gaussians:

    kappa(r2) = integral of exp(-exp(v) r2 / 2) q(v) dv,

where q is the kernel's ``mixing_density`` over log precisions. So one closed form serves every such kernel in every
dimension. The integrand is analytic and decays at both ends, so the trapezoidal rule converges geometrically: some tens
of Gaussians reach 1e-9. The error is measured on the profile itself, over all distances, and bounds the error of the
mean embedding under any prior, because the average of an error is no larger than its maximum.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from particlegvi.contracts import Array, Kernel, Term
from particlegvi.kernels.profiles import SquaredExponential


class MixtureEmbedding(NamedTuple):
    """A sum of Gaussians: ``sum_q heights_q exp(-1/2 sum_i precisions_qi (x_i - means_qi)^2)``."""

    means: Array  # (Gaussians, dim)
    precisions: Array  # (Gaussians, dim)
    heights: Array  # (Gaussians,)

    def gaussian_on_the_line(self) -> tuple[float, float, float] | None:
        """Mean, width and height of a single Gaussian on the line, for the engine's Fourier series; else None."""
        if self.precisions.shape != (1, 1):
            return None
        return float(self.means[0, 0]), float(self.precisions[0, 0]) ** -0.5, float(self.heights[0])

    def value(self, x: Array) -> float:
        total = 0.0
        for q in range(self.heights.shape[0]):
            exponent = 0.0
            for i in range(x.shape[0]):
                gap = x[i] - self.means[q, i]
                exponent += 0.5 * self.precisions[q, i] * gap * gap
            total += self.heights[q] * math.exp(-exponent)
        return total

    def values(self, points: Array, out: Array) -> None:
        for lane in range(points.shape[1]):
            out[lane] = 0.0
        for q in range(self.heights.shape[0]):
            height = self.heights[q]
            if points.shape[0] == 1:  # the lanes are the inner loop, which the compiler turns into vector instructions
                for lane in range(points.shape[1]):
                    gap = points[0, lane] - self.means[q, 0]
                    out[lane] += height * math.exp(-(0.5 * self.precisions[q, 0] * gap * gap))
                continue
            for lane in range(points.shape[1]):
                exponent = 0.0
                for i in range(points.shape[0]):
                    gap = points[i, lane] - self.means[q, i]
                    exponent += 0.5 * self.precisions[q, i] * gap * gap
                out[lane] += height * math.exp(-exponent)

    def gradient(self, x: Array, out: Array) -> None:
        for i in range(x.shape[0]):
            out[i] = 0.0
        for q in range(self.heights.shape[0]):
            exponent = 0.0
            for i in range(x.shape[0]):
                gap = x[i] - self.means[q, i]
                exponent += 0.5 * self.precisions[q, i] * gap * gap
            level = self.heights[q] * math.exp(-exponent)
            for i in range(x.shape[0]):
                out[i] -= self.precisions[q, i] * (x[i] - self.means[q, i]) * level

    def gradients(self, points: Array, out: Array) -> None:
        if points.shape[0] > 1:
            for lane in range(points.shape[1]):
                self.gradient(points[:, lane], out[:, lane])
            return
        # On the line the lanes are the inner loop, which the compiler turns into vector instructions.
        for lane in range(points.shape[1]):
            out[0, lane] = 0.0
        for q in range(self.heights.shape[0]):
            mean = self.means[q, 0]
            precision = self.precisions[q, 0]
            height = self.heights[q]
            for lane in range(points.shape[1]):
                gap = points[0, lane] - mean
                out[0, lane] -= precision * gap * (height * math.exp(-(0.5 * precision * gap * gap)))


TOLERANCE = 1e-9  # of the kernel's variance
STEPS = (0.5, 0.4, 0.32, 0.25, 0.2, 0.16)
LOG_PRECISIONS = np.arange(-720.0, 720.0, 0.25)  # every scale that a double can hold
DISTANCES = 2000


@runtime_checkable
class ScaleMixture(Protocol):
    """An optional part of a `Kernel`: it is a mixture of Gaussians over lengthscales."""

    def value(self, r2: float, /) -> float: ...
    def slope(self, r2: float, /) -> float: ...
    def mixing_density(self, log_precision: float, /) -> float:
        """Density q of the log precisions: ``kappa(r2) = integral of exp(-exp(v) r2 / 2) q(v) dv``."""


@runtime_checkable
class Smoothing(Protocol):
    """An optional part of a `Prior`: the mean of a Gaussian under it is known in closed form."""

    def smooth(self, lengthscales: Array, weights: Array, /) -> Term:
        """``x -> sum_q weights_q E exp(-|x - T|^2 / (2 lengthscales_q^2))`` for T with this distribution."""


@runtime_checkable
class Averaging(Protocol):
    """An optional part of a `Prior` with independent coordinates: the mean of a Gaussian under each is known."""

    @property
    def dim(self) -> int: ...
    def centres(self, i: int, /) -> Array: ...  # of the features of the averages over coordinate i
    def average(self, i: int, lengthscale: float, x: Array, /) -> tuple[Array, Array]:
        """E exp(-(x - T_i)^2 / (2 lengthscale^2)) and its derivative, both at x (n,)."""


class GaussianSum(NamedTuple):
    """``sum_q weights_q exp(-r2 / (2 lengthscales_q^2))`` with bounds on its errors."""

    lengthscales: Array
    weights: Array
    error: float  # largest error of the profile over all distances
    slope_error: float  # largest error of its derivative with respect to the distance
    exact: bool


def gaussian_sum(kernel: Kernel) -> GaussianSum | None:
    """The kernel as a sum of Gaussians: itself, a quadrature of its mixing density, or None if it has none."""
    if isinstance(kernel, SquaredExponential):
        return GaussianSum(np.array([kernel.lengthscale]), np.array([kernel.variance]), 0.0, 0.0, True)
    if not isinstance(kernel, ScaleMixture):
        return None
    first, last = _range(kernel)
    for step in STEPS:
        log_precisions = np.arange(first, last + step, step)
        weights = step * np.array([kernel.mixing_density(float(v)) for v in log_precisions])
        error, slope_error = _errors(kernel, log_precisions, weights)
        if error <= TOLERANCE * kernel.value(0.0):
            break
    return GaussianSum(np.exp(-0.5 * log_precisions), weights, error, slope_error, False)


def _range(kernel: ScaleMixture) -> tuple[float, float]:
    """Log precisions outside which the mixture weighs less than a tenth of the tolerance, in value and in derivative.

    A Gaussian of precision u adds at most its weight to the profile, and at most sqrt(u/e) times its weight to the
    profile's derivative.
    """
    density = np.array([kernel.mixing_density(float(v)) for v in LOG_PRECISIONS])
    peak = LOG_PRECISIONS[np.argmax(density)]
    steepness = np.exp(np.minimum(0.5 * (LOG_PRECISIONS - peak), 300.0))
    below = np.cumsum(density) / density.sum()
    above = np.cumsum((density * steepness)[::-1])[::-1] / (density * steepness).sum()
    kept = LOG_PRECISIONS[(below > 0.1 * TOLERANCE) & (above > 0.1 * TOLERANCE)]
    return float(kept[0]), float(kept[-1])


def _errors(kernel: Kernel, log_precisions: Array, weights: Array) -> tuple[float, float]:
    """Largest errors of the profile and of its derivative with respect to the distance."""
    log_r2 = np.linspace(-log_precisions[-1] - 20.0, -log_precisions[0] + 20.0, DISTANCES)
    r2 = np.concatenate([[0.0], np.exp(np.clip(log_r2, -700.0, 700.0))])
    precisions = np.exp(log_precisions)
    gaussians = weights * np.exp(-0.5 * r2[:, None] * precisions)
    error = np.abs(gaussians.sum(axis=1) - [kernel.value(float(d)) for d in r2]).max()
    slopes = (-0.5 * precisions * gaussians).sum(axis=1) - [kernel.slope(float(d)) for d in r2]
    return float(error), float(np.abs(2.0 * np.sqrt(r2) * slopes).max())
