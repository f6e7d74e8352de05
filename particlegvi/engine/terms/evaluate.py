"""Terms in compiled code: their plain Python methods, and values and gradients over arrays given from Python.

A term is a ``NamedTuple`` with at least one field and methods such as ``value(self, x)`` and
``gradient(self, x, out)``. numba passes the fields as they are, so new parameter values do not recompile; the methods
are compiled here on first use. Inside them the name ``math`` means `engine.numerics.mathematics`, whose
functions vectorise and give the same bits on every platform. A term of this package may call plain functions of its own
module: they are compiled with it.

Importing this module registers the methods with numba.
"""

from __future__ import annotations

import math
import types as python_types
from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
from numba.core import types
from numba.extending import overload_method

from particlegvi.contracts import Array, Kernel, Term
from particlegvi.engine.numerics import mathematics
from particlegvi.engine.numerics.compiled import INLINED, LOOP, compiled
from particlegvi.engine.numerics.kernel_cache import is_covered
from particlegvi.engine.terms.constant import ConstantTerm
from particlegvi.engine.terms.tape import FormulaTape

AT_ONCE = 4096  # points given to a term together
INTERPRETED = 512  # points in one call of the interpreter of formulas, which keeps a row of numbers for each

_compiled: dict[Any, Any] = {}


def compiled_method(owner: type, name: str) -> Any:
    """The compiled form of ``owner.name``, made once per process."""
    return _compiled_form(getattr(owner, name))


def _compiled_form(plain: Any) -> Any:
    """The compiled form of a plain function and, in the package, of the helpers of its module that it calls."""
    if plain not in _compiled:
        names = dict(plain.__globals__)
        if names.get("math") is math and _only_ours(plain.__code__):
            names["math"] = mathematics
        for name in plain.__code__.co_names if is_covered(plain.__module__ or "") else ():
            if isinstance(names.get(name), python_types.FunctionType):
                names[name] = _compiled_form(names[name])
        rebuilt = python_types.FunctionType(
            plain.__code__, names, plain.__name__, plain.__defaults__, plain.__closure__
        )
        _compiled[plain] = numba.njit(**INLINED)(rebuilt)
    return _compiled[plain]


def _only_ours(code: Any) -> bool:
    """Whether every function of ``math`` that the code names is one that the engine has."""
    return all(hasattr(mathematics, name) for name in code.co_names if hasattr(math, name))


def _of_one(name: str) -> None:
    @overload_method(types.BaseNamedTuple, name, jit_options=INLINED)
    def plain(self, x):
        method = compiled_method(self.instance_class, name)
        return lambda self, x: method(self, x)


def _of_two(name: str) -> None:
    @overload_method(types.BaseNamedTuple, name, jit_options=INLINED)
    def plain(self, x, y):
        method = compiled_method(self.instance_class, name)
        return lambda self, x, y: method(self, x, y)


for of_one in ("value", "slope"):
    _of_one(of_one)
for of_two in ("gradient", "cost_at", "slope_at", "curvature_at"):
    _of_two(of_two)


@overload_method(types.BaseNamedTuple, "values", jit_options=LOOP)
def _values_of_lanes(self, points, out):
    """Values at the columns of ``points`` (dim, lanes): the term's own block form, or a loop over the lanes."""
    if hasattr(self.instance_class, "values"):
        method = compiled_method(self.instance_class, "values")
        return lambda self, points, out: method(self, points, out)

    def loop(self, points, out):
        for lane in range(points.shape[1]):
            out[lane] = self.value(points[:, lane])

    return loop


@overload_method(types.BaseNamedTuple, "gradients", jit_options=LOOP)
def _gradients_of_lanes(self, points, out):
    """Gradients at the columns of ``points`` (dim, lanes): the term's own block form, or a loop over the lanes."""
    if hasattr(self.instance_class, "gradients"):
        method = compiled_method(self.instance_class, "gradients")
        return lambda self, points, out: method(self, points, out)

    def loop(self, points, out):
        for lane in range(points.shape[1]):
            self.gradient(points[:, lane], out[:, lane])

    return loop


@overload_method(types.BaseNamedTuple, "values_and_gradients", jit_options=INLINED)
def _values_and_gradients_of_lanes(self, points, values, out):
    """Both at the columns of ``points`` (dim, lanes): the form of a term whose values and gradients share work."""
    if hasattr(self.instance_class, "values_and_gradients"):
        method = compiled_method(self.instance_class, "values_and_gradients")
        return lambda self, points, values, out: method(self, points, values, out)

    def one_after_the_other(self, points, values, out):
        self.values(points, values)
        self.gradients(points, out)

    return one_after_the_other


class Potential(NamedTuple):
    """The terms of V = loss + kl_weight * (-log p) - lambda1 * mu_P, for compiled code."""

    loss: Term
    prior: Term  # minus log p
    embedding: Term  # mu_P
    weights: Array  # (2,): kl_weight and lambda1


def potential_of(loss: Term | None, prior: Term, embedding: Term | None, kl_weight: float, lambda1: float) -> Potential:
    """The potential, with constants for terms that are not used.

    The prior keeps its term also with the weight 0, so that DE runs the code that is compiled for DLE.
    """
    nothing = ConstantTerm(0.0)
    attraction = nothing if embedding is None or lambda1 == 0.0 else embedding
    return Potential(nothing if loss is None else loss, prior, attraction, np.array([float(kl_weight), float(lambda1)]))


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
        function(term, np.require(points[part].T, requirements=["C", "W"]), block)
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
