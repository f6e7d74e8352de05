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

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances import integrals
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.covariances.stationary import SquaredExponential, Stationary

SHORT = 1e-6  # integrate two intervals by nodes if the product of their lengths, in lengthscales, is below this
BLOCK = 4096  # pairs of short intervals at a time
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)
PANEL_NODES, PANEL_WEIGHTS = np.polynomial.legendre.leggauss(12)
SHARES, HALVES = 0.5 * (1.0 + PANEL_NODES), 0.5 * PANEL_WEIGHTS  # on (0, 1)
GOAL = 1e-11  # in units of the largest variance
MOST = 64  # largest number of panels of a piece
ENTRIES = 4_000_000  # largest number of entries of a matrix of nodes


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
    elif dim == 1:
        table = _line(k, a, b, float(lengthscales[0]))
    else:
        table = _derivatives(k, a, b, lengthscales)
    table = a.weight[:, None] * table * b.weight
    found = np.add.reduceat(np.add.reduceat(table, a.first, axis=0), b.first, axis=1)
    if dim == 1:
        _short(k, a, b, found)
    return k.variance * found


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


def _short(k: Stationary, a: Terms, b: Terms, found: Array) -> None:
    """Integrate short intervals without overlap by Gauss-Legendre nodes: differences of integrals would cancel."""
    rows, columns = (np.flatnonzero(terms.order[terms.first, 0] == -1.0) for terms in (a, b))
    if not (rows.size and columns.size):
        return
    starts, lengths = [], []
    for terms, those in ((a, rows), (b, columns)):
        first = terms.first[those]
        starts.append(terms.place[first, 0])
        lengths.append(terms.place[first + 1, 0] - terms.place[first, 0])
    scale = float(np.max(k.lengthscale))
    apart = (starts[0][:, None] >= starts[1] + lengths[1]) | (starts[0][:, None] + lengths[0][:, None] <= starts[1])
    short = (lengths[0][:, None] * lengths[1] < SHORT * scale**2) & (np.maximum.outer(lengths[0], lengths[1]) < scale)
    i, j = np.nonzero(apart & short)
    x = 0.5 * (1.0 + NODES)
    for part in range(0, len(i), BLOCK):
        m, n = i[part : part + BLOCK], j[part : part + BLOCK]
        u = starts[0][m, None] + lengths[0][m, None] * x
        v = starts[1][n, None] + lengths[1][n, None] * x
        inner = k.profile(((u[:, :, None] - v[:, None, :]) / scale) ** 2)
        found[rows[m], columns[n]] = 0.25 * np.einsum("i,pij,j->p", WEIGHTS, inner, WEIGHTS)


def _orders(a: Array, b: Array) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], float, int]]:
    """(rows, columns, sign, order) for each pair of orders (i, j): the sign is (-1)^j and the order is i + j."""
    for i in np.unique(a):
        for j in np.unique(b):
            yield np.flatnonzero(a == i), np.flatnonzero(b == j), -1.0 if j % 2 else 1.0, int(i + j)


def _derivatives(k: Stationary, a: Terms, b: Terms, lengthscales: Array) -> Array:
    """Values and first derivatives under a Matern covariance of several coordinates."""
    smooth = integrals.smoothness(k)
    assert smooth is not None
    c = 2.0 * smooth + 1.0
    z = (a.place[:, None] - b.place) / lengthscales
    s2 = np.sum(z * z, axis=-1)
    t = math.sqrt(c) * np.sqrt(s2)
    # The profile and its first two derivatives in s2: k = f(s2), dk/da_i = 2 f' z_i / l_i
    f = k.profile(s2)
    slope = -0.5 * c * {1: np.exp(-t), 2: (1.0 + t) / 3.0 * np.exp(-t)}[smooth] if smooth else np.zeros_like(t)
    with np.errstate(divide="ignore", invalid="ignore"):
        bend = 0.25 * c * c * (np.exp(-t) / t if smooth == 1 else np.exp(-t) / 3.0)
    bend = np.where(s2 > 0.0, bend, 0.0)  # at s2 = 0 the factor z z' is 0
    of_a, of_b = a.order / lengthscales, b.order / lengthscales
    first, other, inner = np.einsum("nd,nmd->nm", of_a, z), np.einsum("md,nmd->nm", of_b, z), of_a @ of_b.T
    by_a, by_b = of_a.any(axis=1).reshape(-1, 1), of_b.any(axis=1)
    both = -(4.0 * bend * first * other + 2.0 * slope * inner)
    return np.where(by_a & by_b, both, np.where(by_a, 2.0 * slope * first, np.where(by_b, -2.0 * slope * other, f)))


class Means(NamedTuple):
    """Means over [low, high]; if low and high are equal, the value there."""

    low: Array
    high: Array

    @classmethod
    def of(cls, terms: Terms) -> Means:
        """Read terms that are values, or pairs of integrals; none may have a derivative or a window."""
        first = terms.first
        low = terms.place[first, 0]
        second = np.where(terms.order[first, 0] == -1.0, first + 1, first)
        return cls(low, terms.place[second, 0])


def by_panels(covariance: Covariance, a: Terms, b: Terms) -> tuple[Array, float]:
    """The covariances (functionals of a, functionals of b) under a covariance without closed forms, and their error.

    The functionals are values and means over intervals of functions of one coordinate, whose covariance may have a
    kink where its two inputs are equal, and is assumed smooth elsewhere. So panels of Gauss-Legendre nodes end at a
    kink: an interval is cut at a point inside it, and two intervals are cut at the ends of both. Then a kink of two
    intervals lies on the diagonal of a square only, and the square is cut into two triangles. The number of panels of
    each piece doubles until the result changes by less than `GOAL`; the last change is the stated error.
    """
    left, right = Means.of(a), Means.of(b)
    scale = max(float(np.max(covariance.diagonal(np.concatenate([*left, *right])[:, None]))), 1e-300)
    panels, error = 1, np.inf
    table = _table(covariance, left, right, panels)
    while error > GOAL * scale and panels < MOST:
        panels *= 2
        finer = _table(covariance, left, right, panels)
        error, table = float(np.abs(finer - table).max(initial=0.0)), finer
    return table, error


def _table(k: Covariance, a: Means, b: Means, panels: int) -> Array:
    found = np.empty((len(a.low), len(b.low)))
    mean_a, mean_b = a.high > a.low, b.high > b.low
    values = np.ix_(~mean_a, ~mean_b)
    found[values] = k(a.low[~mean_a][:, None], b.low[~mean_b][:, None])
    found[np.ix_(mean_a, ~mean_b)] = _at_points(k, _some(a, mean_a), b.low[~mean_b], panels)
    found[np.ix_(~mean_a, mean_b)] = _at_points(k, _some(b, mean_b), a.low[~mean_a], panels).T
    found[np.ix_(mean_a, mean_b)] = _of_two(k, _some(a, mean_a), _some(b, mean_b), panels)
    return found


def _some(means: Means, those: NDArray[np.bool_]) -> Means:
    return Means(means.low[those], means.high[those])


def _rule(low: Array, high: Array, panels: int) -> tuple[Array, Array]:
    """Nodes and weights of pieces, (pieces, nodes); the weights of each sum to its length."""
    shares = ((np.arange(panels)[:, None] + SHARES) / panels).ravel()
    length = (high - low)[:, None]
    return low[:, None] + length * shares, length * np.tile(HALVES / panels, panels)


def _at_points(k: Covariance, means: Means, x: Array, panels: int) -> Array:
    found = np.empty((len(means.low), len(x)))
    nodes, weights = _rule(means.low, means.high, panels)
    for i in range(len(nodes)):
        length = means.high[i] - means.low[i]
        found[i] = weights[i] @ k(nodes[i][:, None], x[:, None]) / length
        for j in np.flatnonzero((means.low[i] < x) & (x < means.high[i])):
            cut = np.array([means.low[i], x[j], means.high[i]])
            at, weight = _rule(cut[:-1], cut[1:], panels)
            found[i, j] = weight.ravel() @ k(at.reshape(-1, 1), x[j : j + 1, None])[:, 0] / length
    return found


def _of_two(k: Covariance, a: Means, b: Means, panels: int) -> Array:
    """Covariances of means: sums over cells between neighbouring ends."""
    if not (len(a.low) and len(b.low)):
        return np.empty((len(a.low), len(b.low)))
    ends = np.unique(np.concatenate([*a, *b]))
    low, high = ends[:-1], ends[1:]
    nodes, weights = _rule(low, high, panels)
    cells = np.empty((len(low), len(low)))
    each = nodes.shape[1]
    rows = max(1, ENTRIES // max(nodes.size * each, 1))
    for first in range(0, len(low), rows):
        those = slice(first, first + rows)
        table = k(nodes[those].reshape(-1, 1), nodes.reshape(-1, 1)).reshape(-1, each, len(low), each)
        cells[those] = np.einsum("pi,piqj,qj->pq", weights[those], table, weights, optimize=True)
    for cell in range(len(low)):
        cells[cell, cell] = _square(k, low[cell], high[cell], panels)
    inside = [(each.low[:, None] <= low) & (high <= each.high[:, None]) for each in (a, b)]
    return (inside[0] @ cells @ inside[1].T.astype(float)) / np.multiply.outer(a.high - a.low, b.high - b.low)


def _square(k: Covariance, low: float, high: float, panels: int) -> float:
    """The integral over [low, high]^2, as two triangles."""
    nodes, weights = (each[0] for each in _rule(np.array([low]), np.array([high]), panels))
    total = 0.0
    for u, weight in zip(nodes, weights, strict=True):
        at, shares = _rule(np.array([low, u]), np.array([u, high]), panels)
        total += weight * float(shares.ravel() @ k(at.reshape(-1, 1), [[u]])[:, 0])
    return total
