"""Priors on half-lines with independent coordinates: Exponential, Gamma, HalfNormal and LogNormal."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.engine.numerics import noise
from particlegvi.engine.terms import evaluate
from particlegvi.priors.half_line_term import HalfLineTerm, half_line_term
from particlegvi.priors.laplace import one_side
from particlegvi.priors.log_normal_average import log_normal_average
from particlegvi.priors.parameters import FromParameters, positive_scales
from particlegvi.tools.arguments import coordinates, frozen, locations, same_length, whole
from particlegvi.tools.calls import explains_bad_calls
from particlegvi.tools.quoting import refuse

MOST_SHAPE = 1e6
WIDEST, FARTHEST = 3.0, 300.0  # largest log_sd and size of log_mean: the mean and the mode are of one magnitude


class Positive(FromParameters):
    """Coordinates from 0 to infinity, each with one density, which `half_line_term` describes.

    Particles are reflected at 0. A density that is 0 there has a gradient without bound near 0.
    """

    name: str
    dim: int
    low: Array  # (dim,), zeros
    high: Array
    mean: Array
    sd: Array
    minus_log: HalfLineTerm

    def describe_by(self, minus_log: HalfLineTerm, mean: Array, sd: Array) -> None:
        """Set the density, the moments (dim,), the dimension and the ends."""
        self.minus_log, self.mean, self.sd, self.dim = minus_log, frozen(mean), frozen(sd), mean.size
        self.low, self.high = frozen(np.zeros(self.dim)), frozen(np.full(self.dim, np.inf))

    def log_density(self, x: ArrayLike) -> Array:
        """log p at points (n, dim), shape (n,): minus infinity where a coordinate is negative."""
        at = locations(x, self.dim)
        inside = np.all(at >= 0.0, axis=1)
        return np.where(inside, -evaluate.values(self.minus_log, np.maximum(at, 0.0)), -np.inf)

    def gradient(self, x: ArrayLike) -> Array:
        """Gradient of log p at points (n, dim), shape (n, dim); the part of a logarithm is left out at and below 0."""
        return np.asarray(-evaluate.gradients(self.minus_log, locations(x, self.dim)))

    def sample(self, particles: int, seed: int = 0, role: str = "start") -> Array:
        """Independent draws, shape (particles, dim): functions of the seed, the role and their index alone."""
        u = noise.uniforms(seed, role, whole("particles", particles, 1), self.dim)
        return np.stack([self.quantile(u[:, i], i) for i in range(self.dim)], axis=1)

    def cdf(self, x: Array, coordinate: int = 0) -> Array:
        """Probability that a coordinate is at most x, for x of any shape."""
        raise NotImplementedError

    def quantile(self, u: Array, coordinate: int = 0) -> Array:
        """The x with ``cdf(x, coordinate) = u``, for u of any shape."""
        raise NotImplementedError

    def term(self) -> HalfLineTerm:
        """Minus the log density, for the engine."""
        return self.minus_log


@explains_bad_calls
class Gamma(Positive):
    """Gamma prior on x >= 0, independent coordinates with the density of x^(shape - 1) exp(-x / scale).

    Parameters
    ----------
    shape : float or array (dim,)
        From 1 to 1e6; 1 is an exponential prior. Below 1 the density is infinite at 0, where no step of a finite size
        follows its gradient; the logarithm of such a number has a smooth density.
    scale : float or array (dim,)
        Positive. One number for either parameter stands for every coordinate.

    Attributes
    ----------
    dim : int
    shape, scale, mean, sd : arrays (dim,)
        The mean is shape scale, the standard deviation sqrt(shape) scale.
    low, high : arrays (dim,)
        0 and infinity.
    """

    name = "gamma"
    written: tuple[str, ...] = ("shape", "scale")

    def __init__(self, shape: ArrayLike = 2.0, scale: ArrayLike = 1.0) -> None:
        shapes, allowed = coordinates("shape", shape), "a number from 1 to 1e6, or such numbers"
        if not np.all((shapes >= 1.0) & (shapes <= MOST_SHAPE)):
            why = "; below 1 the density is infinite at 0" if np.all(shapes <= MOST_SHAPE) else ""
            raise ValueError(f"{refuse('shape', shape, allowed)}{why}")
        self.shape, self.scale = same_length(("shape", "scale"), shapes, positive_scales("scale", scale))
        constant = float(np.sum([math.lgamma(number) for number in self.shape] + self.shape * np.log(self.scale)))
        term = half_line_term(constant, linear=1.0 / self.scale, power=1.0 - self.shape)
        self.describe_by(term, self.shape * self.scale, np.sqrt(self.shape) * self.scale)

    def cdf(self, x: Array, coordinate: int = 0) -> Array:
        """Probability that a coordinate is at most x, for x of any shape."""
        from scipy.special import gammainc

        return np.asarray(gammainc(self.shape[coordinate], np.maximum(np.asarray(x), 0.0) / self.scale[coordinate]))

    def quantile(self, u: Array, coordinate: int = 0) -> Array:
        """The x with ``cdf(x, coordinate) = u``, for u of any shape."""
        from scipy.special import gammaincinv

        return np.asarray(self.scale[coordinate] * gammaincinv(self.shape[coordinate], np.asarray(u)))


@explains_bad_calls
class Exponential(Gamma):
    """Exponential prior on x >= 0, independent coordinates with the density ``exp(-x / scale) / scale``.

    Parameters
    ----------
    scale : float or array (dim,)
        Mean of each coordinate, positive; a number on the line.

    Attributes
    ----------
    dim : int
    scale, mean, sd : arrays (dim,)
        The mean and the standard deviation are the scale.
    low, high : arrays (dim,)
        0 and infinity.
    """

    name = "exponential"
    written = ("scale",)

    def __init__(self, scale: ArrayLike = 1.0) -> None:
        super().__init__(1.0, scale)

    def centres(self, i: int) -> Array:
        """Where the averages over coordinate i have their features."""
        return np.zeros(1)

    def average(self, i: int, lengthscale: float, x: Array) -> tuple[Array, Array]:
        """E exp(-(x - T_i)^2 / (2 s^2)) for the lengthscale s, and its derivative, both at x (n,).

        With the scale b it is A(x) = sqrt(pi / 2) s / b exp(s^2 / (2 b^2) - x / b) erfc((s / b - x / s) / sqrt(2)), and
        integration by parts gives the derivative (exp(-x^2 / (2 s^2)) - A(x)) / b.
        """
        b, s = float(self.scale[i]), lengthscale
        level = math.sqrt(0.5 * math.pi) * s / b * one_side(x, b, s)
        with np.errstate(over="ignore"):
            return level, (np.exp(-0.5 * (x / s) ** 2) - level) / b


@explains_bad_calls
class HalfNormal(Positive):
    """Half-normal prior on x >= 0, independent coordinates: the size of a normal number of mean 0.

    Parameters
    ----------
    scale : float or array (dim,)
        Standard deviation of that normal number, positive; a number on the line.

    Attributes
    ----------
    dim : int
    scale, mean, sd : arrays (dim,)
        The mean is sqrt(2 / pi) scale, the standard deviation sqrt(1 - 2 / pi) scale.
    low, high : arrays (dim,)
        0 and infinity.
    """

    name = "half-normal"
    written = ("scale",)

    def __init__(self, scale: ArrayLike = 1.0) -> None:
        self.scale = positive_scales("scale", scale)
        constant = float(np.sum(np.log(self.scale * math.sqrt(0.5 * math.pi))))
        term = half_line_term(constant, square=0.5 / self.scale**2)
        self.describe_by(term, math.sqrt(2.0 / math.pi) * self.scale, math.sqrt(1.0 - 2.0 / math.pi) * self.scale)

    def cdf(self, x: Array, coordinate: int = 0) -> Array:
        """Probability that a coordinate is at most x, for x of any shape."""
        from scipy.special import erf

        return np.asarray(erf(np.maximum(np.asarray(x), 0.0) / (math.sqrt(2.0) * self.scale[coordinate])))

    def quantile(self, u: Array, coordinate: int = 0) -> Array:
        """The x with ``cdf(x, coordinate) = u``, for u of any shape."""
        from scipy.special import erfinv

        return np.asarray(math.sqrt(2.0) * self.scale[coordinate] * erfinv(np.asarray(u)))

    def centres(self, i: int) -> Array:
        """Where the averages over coordinate i have their features."""
        return np.zeros(1)

    def average(self, i: int, lengthscale: float, x: Array) -> tuple[Array, Array]:
        """E exp(-(x - T_i)^2 / (2 s^2)) for the lengthscale s, and its derivative, both at x (n,).

        With the scale b and c^2 = s^2 + b^2 it is 2 s / c exp(-x^2 / (2 c^2)) Phi(x b / (s c)).
        """
        from scipy.special import ndtr

        b, s = float(self.scale[i]), lengthscale
        c = math.hypot(s, b)
        with np.errstate(over="ignore"):
            wide, narrow = np.exp(-0.5 * (x / c) ** 2), np.exp(-0.5 * (x / s) ** 2)
        level = 2.0 * s / c * wide * ndtr(x * (b / (s * c)))
        return level, -x / c**2 * level + math.sqrt(2.0 / math.pi) * b / c**2 * narrow


@explains_bad_calls
class LogNormal(Positive):
    """Log-normal prior on x > 0, independent coordinates whose logarithms are normal.

    Parameters
    ----------
    log_mean : float or array (dim,)
        Mean of the logarithm, from -300 to 300.
    log_sd : float or array (dim,)
        Standard deviation of the logarithm, positive, at most 3. One number for either stands for every coordinate.

    Attributes
    ----------
    dim : int
    log_mean, log_sd : arrays (dim,)
    mean, sd : arrays (dim,)
        Of the number itself: exp(log_mean + log_sd^2 / 2), and the mean times sqrt(exp(log_sd^2) - 1).
    low, high : arrays (dim,)
        0 and infinity.
    """

    name = "log-normal"
    written = ("log_mean", "log_sd")

    def __init__(self, log_mean: ArrayLike = 0.0, log_sd: ArrayLike = 1.0) -> None:
        means, sds = coordinates("log_mean", log_mean), positive_scales("log_sd", log_sd)
        if not np.all(np.abs(means) <= FARTHEST):
            raise refuse("log_mean", log_mean, f"a number from -{FARTHEST:g} to {FARTHEST:g}, or such numbers")
        if not np.all(sds <= WIDEST):
            raise refuse("log_sd", log_sd, f"a positive number of at most {WIDEST:g}, or such numbers")
        self.log_mean, self.log_sd = same_length(("log_mean", "log_sd"), means, sds)
        variance = self.log_sd**2
        logs = np.log(self.log_sd * math.sqrt(2.0 * math.pi)) + self.log_mean - 0.5 * variance
        # (log x - log_mean)^2 / (2 variance) + log x, as the square around the logarithm of the mode
        term = half_line_term(float(np.sum(logs)), curve=0.5 / variance, centre=self.log_mean - variance)
        mean = np.exp(self.log_mean + 0.5 * variance)
        self.describe_by(term, mean, mean * np.sqrt(np.expm1(variance)))

    def cdf(self, x: Array, coordinate: int = 0) -> Array:
        """Probability that a coordinate is at most x, for x of any shape."""
        from scipy.special import ndtr

        with np.errstate(divide="ignore"):
            logs = np.log(np.maximum(np.asarray(x), 0.0))
        return np.asarray(ndtr((logs - self.log_mean[coordinate]) / self.log_sd[coordinate]))

    def quantile(self, u: Array, coordinate: int = 0) -> Array:
        """The x with ``cdf(x, coordinate) = u``, for u of any shape."""
        from scipy.special import ndtri

        return np.asarray(np.exp(self.log_mean[coordinate] + self.log_sd[coordinate] * ndtri(np.asarray(u))))

    def centres(self, i: int) -> Array:
        """Where the averages over coordinate i have their features."""
        return np.array([0.0, math.exp(float(self.log_mean[i] - self.log_sd[i] ** 2))])

    def average(self, i: int, lengthscale: float, x: Array) -> tuple[Array, Array]:
        """E exp(-(x - T_i)^2 / (2 s^2)) for the lengthscale s, and its derivative, both at x (n,)."""
        return log_normal_average(float(self.log_mean[i]), float(self.log_sd[i]), lengthscale, x)
