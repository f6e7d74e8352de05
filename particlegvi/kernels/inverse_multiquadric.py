"""A kernel with heavy tails: distant particles still feel each other."""

from __future__ import annotations

import math
from typing import NamedTuple

from particlegvi.tools import arguments


class _Fields(NamedTuple):
    lengthscale: float
    variance: float


@arguments.explains_bad_calls
class InverseMultiquadric(_Fields):
    """Inverse-multiquadric kernel.

    ``variance * (1 + |a - b|^2 / lengthscale^2)^(-1/2)``.

    Parameters
    ----------
    lengthscale : float or str
        Distance at which the kernel has fallen to 1/sqrt(2), positive; or the name of a rule of
        :mod:`particlegvi.kernels.bandwidth`, "median" or "authors", that chooses it when a run starts.
    variance : float
        Value at distance zero.
    """

    __slots__ = ()

    name = "inverse-multiquadric"
    source = "Micchelli (1986); exponent -1/2"

    def __new__(cls, lengthscale: float | str = 1.0, variance: float = 1.0) -> InverseMultiquadric:
        return super().__new__(cls, arguments.lengthscale(lengthscale), arguments.scale("variance", variance))

    def value(self, r2: float) -> float:
        """kappa at the squared distance ``r2``."""
        return self.variance / math.sqrt(1.0 + r2 / (self.lengthscale * self.lengthscale))

    def slope(self, r2: float) -> float:
        """d kappa / d(r2): the gradient in the first argument is ``2 slope(r2) (a - b)``."""
        precision = 1.0 / (self.lengthscale * self.lengthscale)
        shrink = 1.0 / (1.0 + precision * r2)
        return -0.5 * precision * self.variance * shrink * math.sqrt(shrink)

    def mixing_density(self, log_precision: float) -> float:
        """Density q of the log precisions that make this kernel of Gaussians (not compiled).

        ``kappa(r2) = integral of exp(-exp(v) r2 / 2) q(v) dv``: the precisions exp(v)
        follow Gamma(1/2, rate lengthscale^2 / 2).
        """
        w = log_precision + math.log(0.5 * self.lengthscale * self.lengthscale)
        return self.variance / math.sqrt(math.pi) * math.exp(0.5 * w - math.exp(w)) if w < 700.0 else 0.0
