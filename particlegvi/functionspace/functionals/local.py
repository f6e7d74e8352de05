"""Functionals that are sums of derivatives and integrals of F: values, means under windows, slopes, interval means."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace import covariances
from particlegvi.functionspace.covariances.covariance import Covariance, KernelLike, Sum
from particlegvi.functionspace.covariances.stationary import SquaredExponential, Stationary
from particlegvi.functionspace.functionals.functional import Functionals
from particlegvi.functionspace.functionals.terms import Terms, at_points, covariance_of
from particlegvi.tools.arguments import array, finite, frozen, points, refuse, whole

STEP = 1e-4  # step of the difference quotient for the slope of a prior mean, in units of 1 + |x|
SHORTEST = 1e-3  # the shortest interval, in lengthscales: covariances of shorter ones would cancel
PANELS = 16  # number of panels for the quadrature of a prior mean
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)


class Local(Functionals):
    """Base class of `Points`, `Windows`, `Intervals` and `Slopes`; a subclass defines `terms`.

    ``smooth`` says whether it needs a squared exponential, or a sum of them: others have no closed forms here.
    """

    smooth: ClassVar[bool] = True

    def __len__(self) -> int:
        return len(self.terms().first)

    def terms(self) -> Terms:
        raise NotImplementedError

    def against(self, covariance: Covariance, terms: Terms) -> Array:
        if isinstance(covariance, Sum):
            return np.sum([self.against(part, terms) for part in covariance.parts], axis=0)
        return covariance_of(covariance, self.terms(), terms)

    def check(self, covariance: Covariance) -> None:
        for part in covariance.parts if isinstance(covariance, Sum) else (covariance,):
            if self.smooth and type(part) is not SquaredExponential:
                allowed = "a squared exponential, or a sum of them"
                raise ValueError(f"the covariance for {self.name} must be {allowed}, not {part!r}")


class Points(Local):
    """The values F(x_1), ..., F(x_m): Dirac measures (thesis 3.5.2).

    Parameters
    ----------
    X : array (m, dim)
    """

    name = "points"
    smooth = False

    def __init__(self, X: ArrayLike) -> None:
        self.X = frozen(points("X", X).copy())
        self.inputs = self.X.shape[1]

    def terms(self) -> Terms:
        return at_points(self.X)

    def gram(self, covariance: KernelLike) -> Array:
        return covariances.of(covariance)(self.X)

    def diagonal(self, covariance: KernelLike) -> Array:
        return covariances.of(covariance).diagonal(self.X)

    def apply(self, function: Callable[[Array], Array]) -> Array:
        return function(self.X)


class Windows(Local):
    """The means of F under the normal distributions N(centre, diag width^2), on the whole space (thesis 3.5.3).

    Parameters
    ----------
    centres : array (m, dim)
    widths : float or array (m, dim)
        Standard deviations, 0 or more; a window of width 0 is a point. One number holds for all windows.
    """

    name = "windows"

    def __init__(self, centres: ArrayLike, widths: ArrayLike) -> None:
        self.centres = frozen(points("centres", centres).copy())
        self.inputs = self.centres.shape[1]
        allowed = f"a number or an array {self.centres.shape} of numbers of at least 0"
        spreads = array("widths", widths, allowed)
        if spreads.ndim and spreads.shape != self.centres.shape or not np.all((spreads >= 0.0) & np.isfinite(spreads)):
            raise refuse("widths", widths, allowed)
        self.widths = frozen(np.broadcast_to(spreads, self.centres.shape).copy())

    def terms(self) -> Terms:
        number = len(self.centres)
        return Terms(np.zeros(self.centres.shape), self.centres, self.widths, np.ones(number), np.arange(number))


class Slopes(Local):
    """The derivatives dF/dx_c at points.

    Parameters
    ----------
    X : array (m, dim)
    coordinate : int
        Number c of the coordinate, from 0.
    """

    name = "slopes"

    def __init__(self, X: ArrayLike, coordinate: int = 0) -> None:
        self.X = frozen(points("X", X).copy())
        self.inputs = self.X.shape[1]
        self.coordinate = whole("coordinate", coordinate, 0, self.inputs - 1)

    def terms(self) -> Terms:
        order = np.zeros(self.X.shape)
        order[:, self.coordinate] = 1.0
        return Terms(order, self.X, np.zeros(self.X.shape), np.ones(len(self.X)), np.arange(len(self.X)))

    def apply(self, function: Callable[[Array], Array]) -> Array:
        """Approximate the slopes of a function by differences of fourth order."""
        at, total = self.X[:, self.coordinate], np.zeros(len(self.X))
        width = STEP * (1.0 + np.abs(at))
        for shift, weight in ((-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)):
            moved = self.X.copy()
            moved[:, self.coordinate] = at + shift * width
            total += weight / 12.0 * np.asarray(function(moved)) / width
        return total


class Intervals(Local):
    """The means 1/(high - low) int_low^high F(x) dx of a function of one coordinate.

    Parameters
    ----------
    low, high : array (m,)
        The ends, each low below its high; two numbers mean one interval.

    An interval shorter than 1e-3 lengthscales is refused.
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

    def check(self, covariance: Covariance) -> None:
        super().check(covariance)
        shortest = float((self.high - self.low).min())
        for part in covariance.parts if isinstance(covariance, Sum) else (covariance,):
            if isinstance(part, Stationary) and shortest < SHORTEST * float(np.max(part.lengthscale)):
                raise ValueError(
                    f"intervals must be at least 1e-3 lengthscales long, not {shortest:g}: use Points for shorter ones"
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
