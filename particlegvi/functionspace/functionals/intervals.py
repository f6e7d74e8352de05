"""Means of a function over intervals, under every covariance of one coordinate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances.covariance import Covariance, Sum
from particlegvi.functionspace.covariances.stationary import Stationary
from particlegvi.functionspace.functionals.local import Local
from particlegvi.functionspace.functionals.terms import Terms
from particlegvi.tools.arguments import array, finite, frozen
from particlegvi.tools.quoting import refuse

SHORTEST = 1e-8  # the shortest interval, in lengthscales: a shorter mean equals the value at a point
PANELS = 16  # number of panels for the quadrature of a prior mean
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)


class Intervals(Local):
    """The means 1/(high - low) int_low^high F(x) dx of a function of one coordinate.

    Parameters
    ----------
    low, high : array (m,)
        The ends, each low below its high; two numbers mean one interval.

    Under a squared exponential and Matern covariances of order 1/2, 3/2 and 5/2 the covariances of the means are closed
    forms. Under other covariances they are integrated by panels, and `facts` has the error.

    Raises
    ------
    ValueError
        When used with a covariance: if an interval is shorter than 1e-8 lengthscales.
    """

    name = "intervals"
    inputs = 1

    def __init__(self, low: ArrayLike, high: ArrayLike) -> None:
        allowed = "finite numbers (m,), one for each interval"
        first, last = (np.atleast_1d(finite(key, array(key, end, allowed), allowed)).copy()
                       for key, end in (("low", low), ("high", high)))  # fmt: skip
        if first.ndim != 1 or first.shape != last.shape:
            raise ValueError(f"low and high must have the same shape (m,), not {first.shape} and {last.shape}")
        self.low, self.high = frozen(first), frozen(last)
        if not len(self.low):
            raise refuse("low", low, "at least one number")
        wrong = np.flatnonzero(~(self.low < self.high))
        if wrong.size:
            i = wrong[0]
            raise ValueError(f"high[{i}] must be above low[{i}], which is {self.low[i]:g}, not {self.high[i]:g}")

    def __len__(self) -> int:
        return len(self.low)

    def check(self, covariance: Covariance) -> None:
        super().check(covariance)
        shortest = float((self.high - self.low).min())
        for part in covariance.parts if isinstance(covariance, Sum) else (covariance,):
            if isinstance(part, Stationary) and shortest < SHORTEST * float(np.max(part.lengthscale)):
                raise ValueError(
                    f"intervals must be at least 1e-8 lengthscales long, not {shortest:g}; Points says the same"
                )

    def terms(self) -> Terms:
        ends = np.stack([self.low, self.high], axis=1).reshape(-1, 1)
        inverse = 1.0 / (self.high - self.low)
        weight = np.stack([-inverse, inverse], axis=1).ravel()
        return Terms(-np.ones(ends.shape), ends, np.zeros(ends.shape), weight, 2 * np.arange(len(self.low)))

    def apply(self, function: Callable[[Array], Array]) -> Array:
        """Average the function over each interval by sixteen panels of sixteen nodes."""
        shares = ((np.arange(PANELS)[:, None] + 0.5 * (1.0 + NODES)) / PANELS).ravel()
        x = self.low[:, None] + (self.high - self.low)[:, None] * shares
        values = np.asarray(function(x.reshape(-1, 1))).reshape(x.shape)
        return values @ np.tile(0.5 * WEIGHTS / PANELS, PANELS)

    def state(self) -> dict[str, Array]:
        return {"low": self.low, "high": self.high}
