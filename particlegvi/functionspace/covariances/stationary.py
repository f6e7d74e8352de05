"""Covariances of a scaled distance: squared exponential, Matern, and their base class."""

from __future__ import annotations

import math
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from particlegvi.contracts import Array
from particlegvi.engine.pairs import scaled
from particlegvi.engine.pairs.scaled import Decay
from particlegvi.functionspace.covariances.covariance import Between, Covariance
from particlegvi.tools.arguments import points, scale, scales
from particlegvi.tools.calls import shares_parameters

VANISHED = 800.0  # exp of minus this is 0


class Scaled(Covariance):
    """A covariance with a ``lengthscale`` for all inputs, or for each, and a ``variance`` k(x, x)."""

    lengthscale: Array
    variance: float

    def diagonal(self, A: ArrayLike) -> Array:
        return np.full(len(self.pair(A, None)[0]), self.variance)

    def parameter_names(self) -> list[str]:
        if self.lengthscale.ndim == 0:
            return ["lengthscale", "variance"]
        return [*(f"lengthscale[{d}]" for d in range(self.lengthscale.size)), "variance"]

    def pair(self, A: ArrayLike, B: ArrayLike | None) -> tuple[Array, Array]:
        """Checked inputs (n, dim) and (m, dim); dim is the number of lengthscales, unless there is one for all."""
        a = points("inputs", A)
        if self.lengthscale.ndim and self.lengthscale.size != a.shape[1]:
            raise ValueError(
                f"lengthscale must be one number, or one for each of the {a.shape[1]} columns of the inputs, "
                f"not {self.lengthscale.size} numbers"
            )
        return a, a if B is None else points("inputs", B, a.shape[1])


class Stationary(Scaled):
    """``variance * profile(s2)`` with ``s2 = sum_d (a_d - b_d)^2 / lengthscale_d^2``.

    A subclass gives `profile` and `slope`, its derivative, as functions of arrays; or the ``decay`` that has both.

    Parameters
    ----------
    lengthscale : float or array (dim,)
        Lengthscale in the units of the inputs, positive: one for all coordinates, or one for each (ARD).
    variance : float
        The prior variance k(x, x), positive.
    """

    def __init__(self, lengthscale: ArrayLike = 1.0, variance: float = 1.0) -> None:
        self.lengthscale = scales("lengthscale", lengthscale)
        self.variance = scale("variance", variance)

    decay: Decay | None = None  # the form of both in the engine, for a subclass that does not define them

    def __init_subclass__(cls) -> None:
        if "decay" not in vars(cls) and {"profile", "slope"} & vars(cls).keys():
            cls.decay = None  # a subclass with its own profile must not inherit the parent's

    def profile(self, s2: Array) -> Array:
        """The correlation at the scaled squared distances, 1 at 0."""
        decay, t = self._exponent("profile(s2)", s2)
        if decay.linear or decay.square:
            return (1.0 + (decay.linear + decay.square * t) * t) * np.exp(-t)
        return np.exp(np.negative(t, out=t), out=t)  # each pass over a large matrix counts

    def slope(self, s2: Array) -> Array:
        """d profile / d(s2); if the derivative at s2 = 0 is infinite, any finite number may stand there."""
        decay, t = self._exponent("slope(s2)", s2)
        slope = (decay.derivative + decay.derivative_linear * t) * np.exp(-t)
        return np.divide(slope, t, out=np.zeros_like(t), where=t > 0.0) if decay.kinked else slope

    def _exponent(self, method: str, s2: Array) -> tuple[Decay, Array]:
        if self.decay is None:
            raise NotImplementedError(f"a class derived from Stationary must define {method}")
        t = np.asarray(math.sqrt(self.decay.rate) * np.sqrt(s2) if self.decay.rooted else self.decay.rate * s2)
        is_polynomial = self.decay.linear or self.decay.square or self.decay.derivative_linear
        return self.decay, np.minimum(t, VANISHED) if is_polynomial else t

    def __call__(self, A: ArrayLike, B: ArrayLike | None = None) -> Array:
        return self.variance * self.profile(self._squares(*self.pair(A, B)))

    def log_parameters(self) -> Array:
        return np.log(np.append(self.lengthscale, self.variance))

    def with_log_parameters(self, vector: ArrayLike) -> Self:
        values = np.exp(np.asarray(vector, dtype=np.float64))
        return type(self)(values[:-1].reshape(self.lengthscale.shape), float(values[-1]))

    def gradients(self, A: ArrayLike, B: ArrayLike, weights: ArrayLike) -> tuple[Array, Array]:
        a, b = self.pair(A, B)
        w = np.asarray(weights, dtype=np.float64)
        s2 = self._squares(a, b)
        in_variance = self.variance * np.sum(w * self.profile(s2))
        h = (2.0 * self.variance) * w * self.slope(s2)
        h[s2 == 0.0] = 0.0  # a kink; and the derivative in a lengthscale is multiplied by s2
        # Compute sum_ij h_ij (a_i - b_j)^2 in every coordinate by products of matrices. Subtract the middle first, so
        # that few digits cancel.
        middle = b.mean(axis=0)
        a, b = (a - middle) / self.lengthscale, (b - middle) / self.lengthscale
        rows, hb = h.sum(axis=1), h @ b
        in_inputs = (rows[:, None] * a - hb) / self.lengthscale
        if self.lengthscale.ndim == 0:
            return in_inputs, np.array([-np.sum(h * s2), in_variance])
        squares = rows @ a**2 + h.sum(axis=0) @ b**2 - 2.0 * np.sum(a * hb, axis=0)
        return in_inputs, np.append(-squares, in_variance)

    def diagonal_gradient(self, A: ArrayLike, weights: ArrayLike) -> Array:
        total = float(np.sum(np.asarray(weights, dtype=np.float64)))
        return np.append(np.zeros(self.lengthscale.size), self.variance * total)

    def between(self, A: Array, B: Array, columns: int) -> Between:
        return Between(self, A, B) if self.decay is None else Compiled(self, self.decay, A, B, columns)

    def _squares(self, a: Array, b: Array) -> Array:
        # Take differences first: |a|^2 + |b|^2 - 2 a.b loses the digits of small distances, and a Matern takes roots.
        return cdist(a / self.lengthscale, b / self.lengthscale, "sqeuclidean")


class Compiled(Between):
    """k(A, B) and its gradients for a profile that the engine compiles; no temporary is as large as the matrix."""

    def __init__(self, covariance: Stationary, decay: Decay, A: Array, B: Array, columns: int) -> None:
        self.decay, self.variance, self.lengthscale = decay, covariance.variance, covariance.lengthscale
        self.a, self.columns = A / self.lengthscale, len(B)
        self.b = np.zeros((B.shape[1], columns))
        np.divide(B.T, self.lengthscale[..., None], out=self.b[:, : len(B)])

    def fill(self, out: Array) -> None:
        scaled.fill(self.decay, self.variance, self.a, self.b.reshape(-1), self.columns, out)

    def gradients(self, weights: Array) -> tuple[Array, Array]:
        in_a, squares = np.empty(self.a.shape), np.empty(self.a.shape[1])
        whole = scaled.gradients(self.decay, self.variance, self.a, self.b.reshape(-1), weights, in_a, squares)
        in_lengthscales = -2.0 * (squares if self.lengthscale.ndim else np.sum(squares))
        return 2.0 * in_a / self.lengthscale, np.append(in_lengthscales, whole)


@shares_parameters()
class SquaredExponential(Stationary):
    """``variance * exp(-s2 / 2)``, with the parameters of `Stationary`."""

    name = "squared-exponential"
    source = "Rasmussen and Williams (2006), (4.9); with one lengthscale for each input (5.1)"
    decay = Decay(rooted=False, rate=0.5, derivative=-0.5)


@shares_parameters()
class Matern32(Stationary):
    """``variance * (1 + t) exp(-t)`` with t the root of 3 s2, with the parameters of `Stationary`."""

    name = "matern-32"
    source = "Rasmussen and Williams (2006), (4.17)"
    decay = Decay(rate=3.0, linear=1.0, derivative=-1.5)


@shares_parameters()
class Matern12(Stationary):
    """``variance * exp(-s)`` with s the root of s2, with the parameters of `Stationary`."""

    name = "matern-12"
    kinked = True
    source = "Rasmussen and Williams (2006), (4.18)"
    decay = Decay(rate=1.0, derivative=-0.5, kinked=True)


@shares_parameters()
class Matern52(Stationary):
    """``variance * (1 + t + t^2 / 3) exp(-t)`` with t the root of 5 s2, with the parameters of `Stationary`."""

    name = "matern-52"
    source = "Rasmussen and Williams (2006), (4.17)"
    decay = Decay(rate=5.0, linear=1.0, square=1.0 / 3.0, derivative=-5.0 / 6.0, derivative_linear=-5.0 / 6.0)
