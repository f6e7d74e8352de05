"""Values and gradients of terms, and profiles of kernels, over arrays given from Python."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array, Kernel, Term
from particlegvi.engine.numerics import adapter  # noqa: F401 - registers the methods of terms
from particlegvi.engine.numerics.compiled import compiled

LANES = 64


@compiled
def _values(term, points, out):
    number, dim = points.shape
    block = np.empty((dim, LANES))
    result = np.empty(LANES)
    for start in range(0, number, LANES):
        lanes = min(LANES, number - start)
        for coordinate in range(dim):
            for lane in range(LANES):
                block[coordinate, lane] = points[start + min(lane, lanes - 1), coordinate]
        term.values(block, result)
        for lane in range(lanes):
            out[start + lane] = result[lane]


@compiled
def _gradients(term, points, out):
    number, dim = points.shape
    block = np.empty((dim, LANES))
    result = np.empty((dim, LANES))
    for start in range(0, number, LANES):
        lanes = min(LANES, number - start)
        for coordinate in range(dim):
            for lane in range(LANES):
                block[coordinate, lane] = points[start + min(lane, lanes - 1), coordinate]
        term.gradients(block, result)
        for coordinate in range(dim):
            for lane in range(lanes):
                out[start + lane, coordinate] = result[coordinate, lane]


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
    points = np.ascontiguousarray(points, dtype=np.float64)
    out = np.empty(points.shape[0])
    _values.for_terms(term)(term, points, out)
    return out


def gradients(term: Term, points: Array) -> Array:
    """Gradients of a term at ``points`` (n, dim), as an array (n, dim)."""
    points = np.ascontiguousarray(points, dtype=np.float64)
    out = np.empty_like(points)
    _gradients.for_terms(term)(term, points, out)
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
