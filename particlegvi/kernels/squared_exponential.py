"""The kernel of the thesis's particle experiments."""

from __future__ import annotations

import math
from typing import NamedTuple

from particlegvi.tools import arguments


class _Fields(NamedTuple):
    lengthscale: float
    variance: float


@arguments.explains_bad_calls
class SquaredExponential(_Fields):
    """Squared-exponential kernel.

    ``variance * exp(-|a - b|^2 / (2 lengthscale^2))``.

    Parameters
    ----------
    lengthscale : float or str
        sigma_kappa of the thesis, in the units of the parameters, positive; or the name of a rule of
        :mod:`particlegvi.kernels.bandwidth`, "median" or "authors", that chooses it when a run starts.
    variance : float
        Value at distance zero.
    """

    __slots__ = ()

    name = "squared-exponential"
    source = "thesis, (C.124)"

    def __new__(cls, lengthscale: float | str = 1.0, variance: float = 1.0) -> SquaredExponential:
        return super().__new__(cls, arguments.lengthscale(lengthscale), arguments.scale("variance", variance))

    def value(self, r2: float) -> float:
        """kappa at the squared distance ``r2``."""
        return self.variance * math.exp(-0.5 * r2 / (self.lengthscale * self.lengthscale))

    def slope(self, r2: float) -> float:
        """d kappa / d(r2): the gradient in the first argument is ``2 slope(r2) (a - b)``."""
        precision = 1.0 / (self.lengthscale * self.lengthscale)
        return -0.5 * precision * self.variance * math.exp(-0.5 * precision * r2)
