"""Functionals as sums of terms: in each coordinate a derivative or an integral at a place, smoothed by a window.

A term is weight * (d/dx_1)^{o_1} ... (d/dx_D)^{o_D} F at a place. The order -1 is an indefinite integral; it is allowed
for functions on the line only. In each coordinate F is smoothed by a Gaussian of standard deviation ``width``. The mean
over [a, b] is the difference of the terms of order -1 at b and at a, divided by b - a. The covariance of two terms is a
derivative or integral of k at the difference of their places. A functional is the sum of the terms that it owns.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.covariances.stationary import SquaredExponential

NEAR = 0.5  # lengthscales below which an integral is a sum over nodes, which loses no digits by cancellation
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)


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
    assert isinstance(k, SquaredExponential)
    table = a.weight[:, None] * _product(a, b, np.broadcast_to(k.lengthscale, a.place.shape[1])) * b.weight
    return k.variance * np.add.reduceat(np.add.reduceat(table, a.first, axis=0), b.first, axis=1)


def _product(a: Terms, b: Terms, lengthscales: Array) -> Array:
    """Covariances of terms under the squared exponential: products over coordinates; windows widen the lengthscale."""
    table = np.ones((len(a.weight), len(b.weight)))
    for d, lengthscale in enumerate(lengthscales):
        r = a.place[:, None, d] - b.place[:, d]
        wide = np.sqrt(lengthscale**2 + a.width[:, None, d] ** 2 + b.width[:, d] ** 2)
        for rows, columns, sign, order in _orders(a.order[:, d], b.order[:, d]):
            own = wide[np.ix_(rows, columns)]
            part = derivative(r[np.ix_(rows, columns)], order, own)
            table[np.ix_(rows, columns)] *= sign * lengthscale / own * part
    return table


def _orders(a: Array, b: Array) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], float, int]]:
    """(rows, columns, sign, order) for each pair of orders (i, j): the sign is (-1)^j and the order is i + j."""
    for i in np.unique(a):
        for j in np.unique(b):
            yield np.flatnonzero(a == i), np.flatnonzero(b == j), -1.0 if j % 2 else 1.0, int(i + j)


def derivative(r: Array, order: int, lengthscale: Array) -> Array:
    """The derivative or integral of this order of the squared exponential k(r) of variance 1, at differences r.

    Order 0 is k itself, orders 1 and 2 are its derivatives, order -1 is the odd K1(r) = int_0^r k, and order -2 is the
    even int_0^r K1. Lengthscales may differ from pair to pair.
    """
    square = np.square(lengthscale)
    k = np.exp(-0.5 * r * r / square)
    if order == 0:
        return k
    if order == 1:
        return -r / square * k
    if order == 2:
        return (r * r / square - 1.0) / square * k
    first = lengthscale * math.sqrt(0.5 * math.pi) * erf(r / (math.sqrt(2.0) * lengthscale))
    if order == -1:
        return first
    near = np.abs(r) < NEAR * lengthscale  # here r K1 and l^2 (k - 1) nearly cancel
    far = r * first + square * np.expm1(-0.5 * r * r / square)
    if not near.any():
        return far
    x = 0.5 * (1.0 + NODES)
    scaled = r[..., None] * x
    inner = np.exp(-0.5 * scaled**2 / np.broadcast_to(square, r.shape)[..., None])
    return np.where(near, r * r * np.sum(0.5 * WEIGHTS * (1.0 - x) * inner, axis=-1), far)
