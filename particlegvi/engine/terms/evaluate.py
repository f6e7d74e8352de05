"""Values and gradients of terms, and profiles of kernels, over arrays given from Python."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array, Kernel, Term
from particlegvi.engine.numerics import adapter  # noqa: F401 - registers the methods of terms
from particlegvi.engine.numerics.compiled import compiled
from particlegvi.engine.terms.constant import Constant
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
    if isinstance(term, Constant):  # nothing is compiled for it
        return np.full(points.shape[0], term.level)
    function, out = _values.for_terms(term), np.empty(points.shape[0])
    most = INTERPRETED if isinstance(term, FormulaTape) else AT_ONCE
    for first in range(0, len(out), most):
        columns = np.ascontiguousarray(points[first : first + most].T)
        function(term, columns, out[first : first + most])
    return out


def gradients(term: Term, points: Array) -> Array:
    """Gradients of a term at ``points`` (n, dim), as an array (n, dim)."""
    points = np.asarray(points, dtype=np.float64)
    if isinstance(term, Constant):
        return np.zeros(points.shape)
    function, out = _gradients.for_terms(term), np.empty(points.shape)
    most = INTERPRETED if isinstance(term, FormulaTape) else AT_ONCE
    for first in range(0, len(out), most):
        columns = np.ascontiguousarray(points[first : first + most].T)
        found = np.empty(columns.shape)
        function(term, columns, found)
        out[first : first + most] = found.T
    return out


def profile_values(kernel: Kernel, squared_distances: Array) -> Array:
    """kappa as a function of the squared distance, elementwise."""
    flat = np.ascontiguousarray(squared_distances, dtype=np.float64)
    out = np.empty(flat.size)
    _profile_values.for_terms(kernel)(kernel, flat.reshape(-1), out)
    return out.reshape(flat.shape)


def profile_slopes(kernel: Kernel, squared_distances: Array) -> Array:
    """d kappa / d(squared distance), elementwise."""
    flat = np.ascontiguousarray(squared_distances, dtype=np.float64)
    out = np.empty(flat.size)
    _profile_slopes.for_terms(kernel)(kernel, flat.reshape(-1), out)
    return out.reshape(flat.shape)
