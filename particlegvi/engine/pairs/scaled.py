"""Covariance matrices of a scaled distance, and the gradients of weighted sums of their entries, row by row.

The profiles are the squared exponential and the Matern family of orders 1/2, 3/2 and 5/2. A row of a block stays in
the cache nearest to the processor, and no array of differences (rows, columns, dim) is made.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from particlegvi.engine.numerics import mathematics
from particlegvi.engine.numerics.compiled import compiled, inlined
from particlegvi.engine.numerics.vectors import (
    WIDTH,
    add,
    broadcast,
    fma,
    load,
    multiply,
    store,
    subtract,
    total,
)
from particlegvi.engine.terms import evaluate  # noqa: F401 - numba knows the methods of terms always

TOGETHER = 2 * WIDTH  # the number of columns is a multiple of it


class Decay(NamedTuple):
    """The profile ``(1 + linear t + square t^2) exp(-t)`` of a scaled squared distance s2.

    With ``rooted`` t is the root of ``rate s2``, else ``rate s2`` itself. Its derivative in s2 is ``(derivative +
    derivative_linear t) exp(-t)``; with ``kinked`` that is divided by t, and 0 at 0.
    No field has the name of a method of terms, which numba would find in its place.
    """

    rate: float
    linear: float = 0.0
    square: float = 0.0
    derivative: float = 0.0
    derivative_linear: float = 0.0
    rooted: bool = True
    kinked: bool = False


@inlined
def _squares(a, i, flat, n, line):
    """line[j] = sum over d of (a[i, d] - b[d, j])^2: differences first, since |a|^2 + |b|^2 - 2 a.b loses digits."""
    for j in range(0, n, TOGETHER):
        one = other = broadcast(0.0)
        q = j
        for d in range(a.shape[1]):
            at = broadcast(a[i, d])
            difference = subtract(at, load(flat, q))
            one = fma(difference, difference, one)
            difference = subtract(at, load(flat, q + WIDTH))
            other = fma(difference, difference, other)
            q += n
        store(line, j, one)
        store(line, j + WIDTH, other)


@inlined
def _exponent(decay, s2):
    return math.sqrt(decay.rate * s2) if decay.rooted else decay.rate * s2


@compiled
def fill(decay, variance, a, flat, columns, out):
    """out[i, j] = k(a_i, b_j) for scaled inputs a (rows, dim) and b (dim, n), and 0 from column ``columns`` on."""
    for i in range(a.shape[0]):
        line = out[i]
        _squares(a, i, flat, line.size, line)
        for j in range(line.size):
            t = _exponent(decay, line[j])
            line[j] = variance * fma(fma(decay.square, t, decay.linear), t, 1.0) * mathematics.exp(-t)
        line[columns:] = 0.0


@compiled
def gradients(decay, variance, a, flat, weights, in_a, squares):
    """Gradients of ``sum(weights * k(a, b))`` for weights (rows, n), with n a multiple of ``TOGETHER``.

    Half of the gradient in the scaled a goes to in_a (rows, dim), and sum_ij weights_ij slope_ij (a_i - b_j)_d^2 to
    squares (dim,). The return value is the sum itself. ``flat`` is b as (dim * n,), for vectors.
    """
    rows, dim = a.shape
    n = weights.shape[1]
    line, slopes, values = np.empty(n), np.empty(n), np.empty(n)
    squares[:] = 0.0
    whole = 0.0
    for i in range(rows):
        _squares(a, i, flat, n, line)
        row_weights = weights[i]
        for j in range(n):
            t = _exponent(decay, line[j])
            weighted = variance * row_weights[j] * mathematics.exp(-t)
            values[j] = weighted * fma(fma(decay.square, t, decay.linear), t, 1.0)
            slope = weighted * fma(decay.derivative_linear, t, decay.derivative)
            if decay.kinked:
                slope = slope / t if t > 0.0 else 0.0
            slopes[j] = slope
        one = other = broadcast(0.0)
        for j in range(0, n, TOGETHER):
            one = add(one, load(values, j))
            other = add(other, load(values, j + WIDTH))
        whole += total(add(one, other))
        for d in range(dim):
            at = broadcast(a[i, d])
            q = d * n
            first = second = first_square = second_square = broadcast(0.0)
            for j in range(0, n, TOGETHER):
                difference = subtract(at, load(flat, q))
                pull = multiply(load(slopes, j), difference)
                first = add(first, pull)
                first_square = fma(pull, difference, first_square)
                difference = subtract(at, load(flat, q + WIDTH))
                pull = multiply(load(slopes, j + WIDTH), difference)
                second = add(second, pull)
                second_square = fma(pull, difference, second_square)
                q += TOGETHER
            in_a[i, d] = total(add(first, second))
            squares[d] += total(add(first_square, second_square))
    return whole
