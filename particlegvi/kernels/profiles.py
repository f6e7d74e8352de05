"""The kernels of the package. A new one may be a file beside this one."""

from __future__ import annotations

import math
from typing import NamedTuple, Self

from particlegvi.tools import arguments


@arguments.explains_bad_calls
class Profile(NamedTuple("Profile", [("lengthscale", float), ("variance", float)])):
    """A kernel kappa(a, b) = value(r2) of the squared distance r2 = |a - b|^2, and ``slope(r2)``, its derivative in r2.

    Parameters
    ----------
    lengthscale : float or str
        Scale of the distance, in the units of the parameters, positive; or the name of a rule of
        :mod:`particlegvi.kernels.bandwidth`, "median" or "authors", that chooses it when a run starts.
    variance : float
        Value at distance zero.
    """

    __slots__ = ()

    def __new__(cls, lengthscale: float | str = 1.0, variance: float = 1.0) -> Self:
        return super().__new__(cls, arguments.lengthscale(lengthscale), arguments.scale("variance", variance))


@arguments.shares_parameters()
class SquaredExponential(Profile):
    """Squared-exponential kernel, ``variance * exp(-|a - b|^2 / (2 lengthscale^2))``.

    The lengthscale is sigma_kappa of the thesis, whose particle experiments have this kernel.
    """

    __slots__ = ()

    name = "squared-exponential"
    source = "thesis, (C.124)"

    def value(self, r2: float) -> float:
        return self.variance * math.exp(-0.5 * r2 / (self.lengthscale * self.lengthscale))

    def slope(self, r2: float) -> float:
        precision = 1.0 / (self.lengthscale * self.lengthscale)
        return -0.5 * precision * self.variance * math.exp(-0.5 * precision * r2)


@arguments.shares_parameters()
class InverseMultiquadric(Profile):
    """Inverse-multiquadric kernel, ``variance * (1 + |a - b|^2 / lengthscale^2)^(-1/2)``.

    At a distance of one lengthscale it has fallen to 1/sqrt(2). Its tails are heavy: distant particles still feel each
    other.
    """

    __slots__ = ()

    name = "inverse-multiquadric"
    source = "Micchelli (1986); exponent -1/2"

    def value(self, r2: float) -> float:
        return self.variance / math.sqrt(1.0 + r2 / (self.lengthscale * self.lengthscale))

    def slope(self, r2: float) -> float:
        precision = 1.0 / (self.lengthscale * self.lengthscale)
        shrink = 1.0 / (1.0 + precision * r2)
        return -0.5 * precision * self.variance * shrink * math.sqrt(shrink)

    def mixing_density(self, log_precision: float) -> float:
        """Density q of the log precisions that make this kernel of Gaussians (not compiled).

        ``kappa(r2) = integral of exp(-exp(v) r2 / 2) q(v) dv``: the precisions exp(v) follow
        Gamma(1/2, rate lengthscale^2 / 2).
        """
        w = log_precision + math.log(0.5 * self.lengthscale * self.lengthscale)
        return self.variance / math.sqrt(math.pi) * math.exp(0.5 * w - math.exp(w)) if w < 700.0 else 0.0


class Matern(Profile):
    """A Matern kernel, a polynomial in ``s = sqrt(2 smoothness) |a - b| / lengthscale`` times exp(-s)."""

    __slots__ = ()

    smoothness: float

    def mixing_density(self, log_precision: float) -> float:
        """Density q of the log precisions that make this kernel of Gaussians (not compiled).

        ``kappa(r2) = integral of exp(-exp(v) r2 / 2) q(v) dv``: the precisions exp(v) follow the inverse gamma
        distribution (smoothness, smoothness / lengthscale^2).
        """
        order = self.smoothness
        w = math.log(order / (self.lengthscale * self.lengthscale)) - log_precision
        return self.variance / math.gamma(order) * math.exp(order * w - math.exp(w)) if w < 700.0 else 0.0


@arguments.shares_parameters()
class Matern32(Matern):
    """Matern kernel of smoothness 3/2, ``variance * (1 + s) exp(-s)``.

    At distance zero its third derivative jumps.
    """

    __slots__ = ()

    name = "matern-32"
    source = "Rasmussen and Williams (2006), (4.17)"
    smoothness = 1.5

    def value(self, r2: float) -> float:
        s = math.sqrt(3.0 * r2) / self.lengthscale
        return self.variance * (1.0 + s) * math.exp(-s)

    def slope(self, r2: float) -> float:
        # d/ds gives -s exp(-s) and ds/d(r2) = 3 / (2 lengthscale^2 s): the s cancels.
        s = math.sqrt(3.0 * r2) / self.lengthscale
        return -self.variance * math.exp(-s) * (1.5 / (self.lengthscale * self.lengthscale))

    def exponential_slope(self) -> tuple[float, float, float]:
        """(rate, b, c) with which ``slope`` is ``(b + c r) exp(-rate r)``, r the distance (not compiled)."""
        rate = math.sqrt(3.0) / self.lengthscale
        return rate, -0.5 * self.variance * rate * rate, 0.0


@arguments.shares_parameters()
class Matern52(Matern):
    """Matern kernel of smoothness 5/2, ``variance * (1 + s + s^2 / 3) exp(-s)``.

    At distance zero its fifth derivative jumps.
    """

    __slots__ = ()

    name = "matern-52"
    source = "Rasmussen and Williams (2006), (4.17)"
    smoothness = 2.5

    def value(self, r2: float) -> float:
        s = math.sqrt(5.0 * r2) / self.lengthscale
        return self.variance * (1.0 + s + s * s / 3.0) * math.exp(-s)

    def slope(self, r2: float) -> float:
        # d/ds gives -s (1 + s) exp(-s) / 3 and ds/d(r2) = 5 / (2 lengthscale^2 s): the s cancels.
        s = math.sqrt(5.0 * r2) / self.lengthscale
        return -self.variance * (1.0 + s) * math.exp(-s) * (5.0 / (6.0 * self.lengthscale * self.lengthscale))

    def exponential_slope(self) -> tuple[float, float, float]:
        """(rate, b, c) with which ``slope`` is ``(b + c r) exp(-rate r)``, r the distance (not compiled)."""
        rate = math.sqrt(5.0) / self.lengthscale
        level = -self.variance * rate * rate / 6.0
        return rate, level, level * rate
