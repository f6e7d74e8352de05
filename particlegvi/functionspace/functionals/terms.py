"""Functionals as sums of terms: in each coordinate a derivative or an integral at a place, smoothed by a window.

A term is weight * (d/dx_1)^{o_1} ... (d/dx_D)^{o_D} F at a place. The order -1 is an indefinite integral; it is allowed
for functions on the line only. In each coordinate F is smoothed by a Gaussian of standard deviation ``width``. The mean
over [a, b] is the difference of the terms of order -1 at b and at a, divided by b - a. The covariance of two terms is a
derivative or integral of k at the difference of their places. A functional is the sum of the terms that it owns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances import integrals
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.covariances.stationary import SquaredExponential, Stationary


class Terms(NamedTuple):
    """Terms, in the order of the functionals that own them."""

    order: Array  # (terms, dim), whole numbers from -1 to 1
    place: Array  # (terms, dim)
    width: Array  # (terms, dim), 0 without a window
    weight: Array  # (terms,)
    first: NDArray[np.intp]  # (functionals,): number of the first term of each

    @property
    def plain(self) -> bool:
        """Whether all terms are values of F at points."""
        return not (self.order.any() or self.width.any()) and bool(np.all(self.weight == 1.0))


def at_points(x: Array) -> Terms:
    """The values of F at the rows of x (n, dim)."""
    zero = np.zeros(x.shape)
    return Terms(zero, x, zero, np.ones(len(x)), np.arange(len(x)))


def covariance_of(k: Covariance, a: Terms, b: Terms) -> Array:
    """The covariances (functionals of a, functionals of b) under a covariance that has closed forms."""
    if a.plain and b.plain:
        return k(a.place, b.place)
    assert isinstance(k, Stationary)
    dim = a.place.shape[1]
    lengthscales = np.broadcast_to(k.lengthscale, (dim,))
    if isinstance(k, SquaredExponential):
        table = _product(a, b, lengthscales)
    else:
        table = _line(k, a, b, float(lengthscales[0]))
    table = a.weight[:, None] * table * b.weight
    return k.variance * np.add.reduceat(np.add.reduceat(table, a.first, axis=0), b.first, axis=1)


def _product(a: Terms, b: Terms, lengthscales: Array) -> Array:
    """Covariances of terms under the squared exponential: products over coordinates; windows widen the lengthscale."""
    table = np.ones((len(a.weight), len(b.weight)))
    for d, lengthscale in enumerate(lengthscales):
        r = a.place[:, None, d] - b.place[:, d]
        wide = np.sqrt(lengthscale**2 + a.width[:, None, d] ** 2 + b.width[:, d] ** 2)
        for rows, columns, sign, order in _orders(a.order[:, d], b.order[:, d]):
            own = wide[np.ix_(rows, columns)]
            part = integrals.squared_exponential(r[np.ix_(rows, columns)], order, own)
            table[np.ix_(rows, columns)] *= sign * lengthscale / own * part
    return table


def _line(k: Stationary, a: Terms, b: Terms, lengthscale: float) -> Array:
    """Covariances of terms under a Matern covariance of functions on the line."""
    smooth = integrals.smoothness(k)
    assert smooth is not None
    r = a.place - b.place[:, 0]
    table = np.empty(r.shape)
    for rows, columns, sign, order in _orders(a.order[:, 0], b.order[:, 0]):
        table[np.ix_(rows, columns)] = sign * integrals.matern(r[np.ix_(rows, columns)], order, smooth, lengthscale)
    return table


def _orders(a: Array, b: Array) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], float, int]]:
    """(rows, columns, sign, order) for each pair of orders (i, j): the sign is (-1)^j and the order is i + j."""
    for i in np.unique(a):
        for j in np.unique(b):
            yield np.flatnonzero(a == i), np.flatnonzero(b == j), -1.0 if j % 2 else 1.0, int(i + j)
