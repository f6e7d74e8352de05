"""Values and gradients of terms, profiles of kernels and squared distances, over arrays given from Python."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from particlegvi.contracts import Array, Kernel, Term
from particlegvi.engine.numerics import adapter  # noqa: F401 - registers the methods of terms
from particlegvi.engine.numerics.compiled import compiled
from particlegvi.engine.terms.constant import ConstantTerm
from particlegvi.engine.terms.tape import FormulaTape

AT_ONCE = 4096  # points given to a term together
INTERPRETED = 512  # points in one call of the interpreter of formulas, which keeps a row of numbers for each


@compiled
def _values(term, points, out):
    term.values(points, out)


@compiled
def _gradients(term, points, out):
    term.gradients(points, out)


@compiled
def _profile_values(kernel, squared_distances, out):
    for i in range(squared_distances.size):
        out[i] = kernel.value(squared_distances[i])


@compiled
def _profile_slopes(kernel, squared_distances, out):
    for i in range(squared_distances.size):
        out[i] = kernel.slope(squared_distances[i])


def values(term: Term, points: Array) -> Array:
    """Values of a term at ``points`` (n, dim), as an array (n,)."""
    points = np.asarray(points, dtype=np.float64)
    if isinstance(term, ConstantTerm):  # nothing is compiled for it
        return np.full(points.shape[0], term.level)
    return _in_parts(_values.for_terms(term), term, points, np.empty(len(points)))


def gradients(term: Term, points: Array) -> Array:
    """Gradients of a term at ``points`` (n, dim), as an array (n, dim)."""
    points = np.asarray(points, dtype=np.float64)
    if isinstance(term, ConstantTerm):
        return np.zeros(points.shape)
    return _in_parts(_gradients.for_terms(term), term, points, np.empty(points.shape))


def _in_parts(function: Callable[..., None], term: Term, points: Array, out: Array) -> Array:
    most = INTERPRETED if isinstance(term, FormulaTape) else AT_ONCE
    for first in range(0, len(out), most):
        part = slice(first, first + most)
        block = np.empty(out[part].T.shape)
        # A read-only array is another type to numba, for which the term would be compiled a second time.
        function(term, np.require(points[part].T, requirements="CW"), block)
        out[part] = block.T
    return out


def profile_values(kernel: Kernel, squared_distances: Array) -> Array:
    """kappa as a function of the squared distance, elementwise."""
    return _elementwise(_profile_values.for_terms(kernel), kernel, squared_distances)


def profile_slopes(kernel: Kernel, squared_distances: Array) -> Array:
    """d kappa / d(squared distance), elementwise."""
    return _elementwise(_profile_slopes.for_terms(kernel), kernel, squared_distances)


def _elementwise(function: Callable[..., None], kernel: Kernel, squared_distances: Array) -> Array:
    flat = np.ascontiguousarray(squared_distances, dtype=np.float64)
    out = np.empty(flat.size)
    function(kernel, flat.reshape(-1), out)
    return out.reshape(flat.shape)


def squared_distances(x: Array, y: Array) -> Array:
    """|x_i - y_j|^2 for points (n, dim) and (m, dim), an array (n, m)."""
    gap = x[:, 0, None] - y[:, 0]
    total = gap * gap
    for i in range(1, x.shape[1]):
        gap = x[:, i, None] - y[:, i]
        total += gap * gap
    return total
