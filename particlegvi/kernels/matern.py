"""Two rough kernels. At distance zero the third derivative of Matern 3/2 jumps, and the fifth of Matern 5/2."""

from __future__ import annotations

import math
from typing import NamedTuple

from particlegvi.tools import arguments


class _Fields(NamedTuple):
    lengthscale: float
    variance: float


@arguments.explains_bad_calls
class Matern32(_Fields):
    """Matern kernel of smoothness 3/2.

    ``variance * (1 + s) exp(-s)`` with ``s = sqrt(3) |a - b| / lengthscale``.

    Parameters
    ----------
    lengthscale : float or str
        Scale of the distance, positive; or the name of a rule of
        :mod:`particlegvi.kernels.bandwidth`, "median" or "authors", that chooses it when a run starts.
    variance : float
        Value at distance zero.
    """

    __slots__ = ()

    name = "matern-32"
    source = "Rasmussen and Williams (2006), (4.17)"

    def __new__(cls, lengthscale: float | str = 1.0, variance: float = 1.0) -> Matern32:
        return super().__new__(cls, arguments.lengthscale(lengthscale), arguments.scale("variance", variance))

    def value(self, r2: float) -> float:
        """kappa at the squared distance ``r2``."""
        s = math.sqrt(3.0 * r2) / self.lengthscale
        return self.variance * (1.0 + s) * math.exp(-s)

    def slope(self, r2: float) -> float:
        """d kappa / d(r2): the gradient in the first argument is ``2 slope(r2) (a - b)``."""
        # d/ds gives -s exp(-s) and ds/d(r2) = 3 / (2 lengthscale^2 s): the s cancels.
        s = math.sqrt(3.0 * r2) / self.lengthscale
        return -self.variance * math.exp(-s) * (1.5 / (self.lengthscale * self.lengthscale))

    def exponential_slope(self) -> tuple[float, float, float]:
        """(rate, b, c) with which ``slope`` is ``(b + c r) exp(-rate r)``, r the distance (not compiled)."""
        rate = math.sqrt(3.0) / self.lengthscale
        return rate, -0.5 * self.variance * rate * rate, 0.0

    def mixing_density(self, log_precision: float) -> float:
        """Density q of the log precisions that make this kernel of Gaussians (not compiled).

        ``kappa(r2) = integral of exp(-exp(v) r2 / 2) q(v) dv``: the precisions exp(v)
        follow the inverse gamma distribution (3/2, 3 / (2 lengthscale^2)).
        """
        w = math.log(1.5 / (self.lengthscale * self.lengthscale)) - log_precision
        return self.variance / math.gamma(1.5) * math.exp(1.5 * w - math.exp(w)) if w < 700.0 else 0.0


@arguments.explains_bad_calls
class Matern52(_Fields):
    """Matern kernel of smoothness 5/2.

    ``variance * (1 + s + s^2 / 3) exp(-s)`` with ``s = sqrt(5) |a - b| / lengthscale``.

    Parameters
    ----------
    lengthscale : float or str
        Scale of the distance, positive; or the name of a rule of
        :mod:`particlegvi.kernels.bandwidth`, "median" or "authors", that chooses it when a run starts.
    variance : float
        Value at distance zero.
    """

    __slots__ = ()

    name = "matern-52"
    source = "Rasmussen and Williams (2006), (4.17)"

    def __new__(cls, lengthscale: float | str = 1.0, variance: float = 1.0) -> Matern52:
        return super().__new__(cls, arguments.lengthscale(lengthscale), arguments.scale("variance", variance))

    def value(self, r2: float) -> float:
        """kappa at the squared distance ``r2``."""
        s = math.sqrt(5.0 * r2) / self.lengthscale
        return self.variance * (1.0 + s + s * s / 3.0) * math.exp(-s)

    def slope(self, r2: float) -> float:
        """d kappa / d(r2): the gradient in the first argument is ``2 slope(r2) (a - b)``."""
        # d/ds gives -s (1 + s) exp(-s) / 3 and ds/d(r2) = 5 / (2 lengthscale^2 s): the s cancels.
        s = math.sqrt(5.0 * r2) / self.lengthscale
        return -self.variance * (1.0 + s) * math.exp(-s) * (5.0 / (6.0 * self.lengthscale * self.lengthscale))

    def exponential_slope(self) -> tuple[float, float, float]:
        """(rate, b, c) with which ``slope`` is ``(b + c r) exp(-rate r)``, r the distance (not compiled)."""
        rate = math.sqrt(5.0) / self.lengthscale
        level = -self.variance * rate * rate / 6.0
        return rate, level, level * rate

    def mixing_density(self, log_precision: float) -> float:
        """Density q of the log precisions that make this kernel of Gaussians (not compiled).

        ``kappa(r2) = integral of exp(-exp(v) r2 / 2) q(v) dv``: the precisions exp(v)
        follow the inverse gamma distribution (5/2, 5 / (2 lengthscale^2)).
        """
        w = math.log(2.5 / (self.lengthscale * self.lengthscale)) - log_precision
        return self.variance / math.gamma(2.5) * math.exp(2.5 * w - math.exp(w)) if w < 700.0 else 0.0
