"""The uniform prior on a box, and the mean embedding that it has in closed form."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.engine.numerics import noise
from particlegvi.engine.terms.constant import ConstantTerm
from particlegvi.priors.parameters import FromParameters
from particlegvi.tools.arguments import array, coordinates, locations, same_length, whole
from particlegvi.tools.calls import explains_bad_calls
from particlegvi.tools.quoting import refuse, shown

OPEN = "for a half-line there are Exponential, HalfNormal, Gamma and LogNormal, and Prior.from_formula with low or high"


@explains_bad_calls
class Uniform(FromParameters):
    """Uniform prior on the box of all x with low <= x <= high.

    Particles that leave the box are reflected by the engine; the density outside is zero.

    Parameters
    ----------
    low, high : float or array (dim,)
        Corners; numbers on the line. One number for either stands for every coordinate.

    Attributes
    ----------
    dim : int
    low, high, mean, sd : arrays (dim,)
    """

    name = "uniform"
    written = ("low", "high")

    def __init__(self, low: ArrayLike, high: ArrayLike) -> None:
        self.low, self.high = same_length(("low", "high"), _corner("low", low), _corner("high", high))
        with np.errstate(over="ignore"):
            width = self.high - self.low
        if not np.all(width > 0.0) or not np.all(np.isfinite(width)):
            raise ValueError(f"low must be below high by a finite width, not {shown(low)} and {shown(high)}")
        self.dim = self.low.size
        self.mean = self.low + 0.5 * width
        self.sd = width / math.sqrt(12.0)

    def log_density(self, x: ArrayLike) -> Array:
        """log p at points (n, dim), shape (n,): minus infinity outside the box."""
        at = locations(x, self.dim)
        inside = np.all((at >= self.low) & (at <= self.high), axis=1)
        return np.where(inside, -_log_volume(self), -np.inf)

    def gradient(self, x: ArrayLike) -> Array:
        """Gradient of log p at points (n, dim), shape (n, dim): zero, since the walls are the engine's."""
        return np.zeros_like(locations(x, self.dim))

    def sample(self, particles: int, seed: int = 0, role: str = "start") -> Array:
        """Independent draws, shape (particles, dim): functions of the seed, the role and their index alone."""
        u = noise.uniforms(seed, role, whole("particles", particles, 1), self.dim)
        return np.minimum(self.low + (self.high - self.low) * u, self.high)

    def term(self) -> ConstantTerm:
        """Minus the log density inside the box, for the engine: a constant."""
        return ConstantTerm(_log_volume(self))

    def centres(self, i: int) -> Array:
        """Where the averages over coordinate i have their features."""
        return np.array([self.low[i], self.high[i]])

    def average(self, i: int, lengthscale: float, x: Array) -> tuple[Array, Array]:
        """E exp(-(x - T_i)^2 / (2 s^2)) for the lengthscale s, and its derivative, both at x (n,)."""
        from scipy.special import erf, erfc

        unit, width = math.sqrt(2.0) * lengthscale, float(self.high[i] - self.low[i])
        with np.errstate(over="ignore"):
            a, b = (x - self.low[i]) / unit, (self.high[i] - x) / unit
            near, far = np.minimum(a, b), np.maximum(a, b)
            sides = np.where(near > -0.5, erf(far) + erf(near), erfc(-near) - erfc(far))
            return 0.5 * math.sqrt(math.pi) * unit / width * sides, (np.exp(-a * a) - np.exp(-b * b)) / width

    def smooth(self, lengthscales: Array, weights: Array) -> UniformEmbedding:
        """``x -> sum_q weights_q E exp(-|x - T|^2 / (2 lengthscales_q^2))`` for T with this distribution, as a term."""
        return UniformEmbedding(self.low.copy(), self.high.copy(), lengthscales, weights)


def _corner(key: str, value: ArrayLike) -> Array:
    allowed = "a finite number or a list of finite numbers"
    if np.isinf(array(key, value, allowed)).any():
        raise ValueError(f"{refuse(key, value, allowed)}; {OPEN}")
    return coordinates(key, value)


def _log_volume(prior: Uniform) -> float:
    return float(np.sum(np.log(prior.high - prior.low)))


class UniformEmbedding(NamedTuple):
    """A sum of Gaussians, each averaged over a box: a product of differences of error functions.

    The average over one side of ``exp(-(x - t)^2 / (2 s^2))`` is
    ``sqrt(pi/2) s / (high - low) * (erf(far) + erf(near))`` with ``near`` and ``far`` the distances to the two walls in
    units of sqrt(2) s, negative for a wall already crossed. Far outside the two terms cancel, so complementary error
    functions are used there; far inside a wide box both are 1 and the embedding is constant, as it should be.
    """

    low: Array  # (dim,)
    high: Array  # (dim,)
    lengthscales: Array  # (scales,)
    weights: Array  # (scales,)

    def value(self, x: Array) -> float:
        total = 0.0
        for q in range(self.weights.shape[0]):
            total += product_of_sides(self, x, q)
        return total

    def gradient(self, x: Array, out: Array) -> None:
        for i in range(x.shape[0]):
            out[i] = 0.0
        for q in range(self.weights.shape[0]):
            unit = math.sqrt(2.0) * self.lengthscales[q]
            product = product_of_sides(self, x, q)
            # Where the product underflows, so do the slopes: nothing is divided by zero.
            if product > 0.0:
                for i in range(x.shape[0]):
                    a = (x[i] - self.low[i]) / unit
                    b = (self.high[i] - x[i]) / unit
                    slope = (math.exp(-a * a) - math.exp(-b * b)) / (0.5 * math.sqrt(math.pi) * unit)
                    out[i] += product * (slope / both_sides(a, b))

    def gradients(self, points: Array, out: Array) -> None:
        if points.shape[0] > 1:
            for lane in range(points.shape[1]):
                self.gradient(points[:, lane], out[:, lane])
            return
        # On the line the error functions are not needed, and the lanes are the inner loop, which the compiler turns
        # into vector instructions.
        for lane in range(points.shape[1]):
            out[0, lane] = 0.0
        for q in range(self.weights.shape[0]):
            unit = math.sqrt(2.0) * self.lengthscales[q]
            height = self.weights[q] / (self.high[0] - self.low[0])
            for lane in range(points.shape[1]):
                a = (points[0, lane] - self.low[0]) / unit
                b = (self.high[0] - points[0, lane]) / unit
                out[0, lane] += height * (math.exp(-a * a) - math.exp(-b * b))


def both_sides(a: float, b: float) -> float:
    """erf(a) + erf(b) for the distances to the two walls, of which one may be negative."""
    near = min(a, b)
    far = max(a, b)
    return math.erf(far) + math.erf(near) if near > -0.5 else math.erfc(-near) - math.erfc(far)


def product_of_sides(embedding: UniformEmbedding, x: Array, q: int) -> float:
    """The weight of the Gaussian of this number times its averages over all sides."""
    unit = math.sqrt(2.0) * embedding.lengthscales[q]
    product = embedding.weights[q]
    for i in range(x.shape[0]):
        width = embedding.high[i] - embedding.low[i]
        sides = both_sides((x[i] - embedding.low[i]) / unit, (embedding.high[i] - x[i]) / unit)
        product *= 0.5 * math.sqrt(math.pi) * unit / width * sides
    return product
