"""The Gaussian prior with independent coordinates."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.engine.numerics import noise
from particlegvi.priors.gaussian_sums import MixtureEmbedding
from particlegvi.priors.parameters import CentreAndScale
from particlegvi.tools.arguments import locations, whole
from particlegvi.tools.calls import explains_bad_calls


@explains_bad_calls
class Normal(CentreAndScale):
    """Normal prior, independent coordinates: N(mean, diag(sd^2)).

    Parameters
    ----------
    mean : float or array (dim,)
        Centre; a number on the line.
    sd : float or array (dim,)
        Standard deviations, positive. One number for either parameter stands for every coordinate.

    Attributes
    ----------
    dim : int
    mean, sd : arrays (dim,)
    low, high : arrays (dim,)
        Minus and plus infinity.
    """

    name = "normal"
    written = ("mean", "sd")
    mean: Array
    sd: Array

    def __init__(self, mean: ArrayLike = 0.0, sd: ArrayLike = 1.0) -> None:
        self.place(mean, sd)

    def log_density(self, x: ArrayLike) -> Array:
        """log p at points (n, dim), shape (n,)."""
        with np.errstate(over="ignore"):  # at points so far out that the density is zero
            z = (locations(x, self.dim) - self.mean) / self.sd
            return -0.5 * np.sum(z * z, axis=1) - _log_scale(self)

    def gradient(self, x: ArrayLike) -> Array:
        """Gradient of log p at points (n, dim), shape (n, dim)."""
        with np.errstate(over="ignore"):
            return -((locations(x, self.dim) - self.mean) / self.sd) / self.sd

    def sample(self, particles: int, seed: int = 0, role: str = "start") -> Array:
        """Independent draws, shape (particles, dim): functions of the seed, the role and their index alone."""
        return self.mean + self.sd * noise.normals(seed, role, whole("particles", particles, 1), self.dim)

    def term(self) -> NormalTerm:
        """Minus the log density, for the engine."""
        return NormalTerm(self.mean.copy(), 1.0 / self.sd, _log_scale(self))

    def smooth(self, lengthscales: Array, weights: Array) -> MixtureEmbedding:
        """``x -> sum_q weights_q E exp(-|x - T|^2 / (2 lengthscales_q^2))`` for T with this distribution, as a term.

        Each Gaussian stays one: in every coordinate its variance grows by sd^2 and its height falls by
        lengthscale / sqrt(lengthscale^2 + sd^2).
        """
        with np.errstate(over="ignore"):  # a scale whose square overflows contributes nothing
            ratio = self.sd / lengthscales[:, None]
            variances = lengthscales[:, None] ** 2 + self.sd**2
            heights = weights * np.exp(-0.5 * np.sum(np.log1p(ratio * ratio), axis=1))
        return MixtureEmbedding(np.tile(self.mean, (len(weights), 1)), 1.0 / variances, heights)


def _log_scale(prior: Normal) -> float:
    return float(np.sum(np.log(prior.sd))) + 0.5 * prior.dim * math.log(2.0 * math.pi)


class NormalTerm(NamedTuple):
    """Minus the log density of a Normal prior."""

    mean: Array
    root_precision: Array  # 1 / sd, whose square may overflow where the product of factors does not
    log_scale: float

    def value(self, x: Array) -> float:
        total = self.log_scale
        for i in range(x.shape[0]):
            z = (x[i] - self.mean[i]) * self.root_precision[i]
            total += 0.5 * z * z
        return total

    def values(self, points: Array, out: Array) -> None:
        for lane in range(points.shape[1]):
            out[lane] = self.log_scale
        for i in range(points.shape[0]):
            mean = self.mean[i]
            root = self.root_precision[i]
            for lane in range(points.shape[1]):
                z = (points[i, lane] - mean) * root
                out[lane] += 0.5 * z * z

    def gradient(self, x: Array, out: Array) -> None:
        for i in range(x.shape[0]):
            out[i] = (x[i] - self.mean[i]) * self.root_precision[i] * self.root_precision[i]

    def gradients(self, points: Array, out: Array) -> None:
        # the lanes are the inner loop, which the compiler turns into vector instructions
        for i in range(points.shape[0]):
            mean = self.mean[i]
            root = self.root_precision[i]
            for lane in range(points.shape[1]):
                out[i, lane] = (points[i, lane] - mean) * root * root
