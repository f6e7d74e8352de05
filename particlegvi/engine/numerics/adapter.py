"""Lets compiled code call the plain Python methods of a term.

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
from typing import Any

import numba
from numba.core import types
from numba.extending import overload_method

from particlegvi.engine.numerics import mathematics
from particlegvi.engine.numerics.compiled import HELPER, INLINED
from particlegvi.engine.numerics.user_code import is_covered

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


for method_name in ("value", "slope"):
    _of_one(method_name)
for method_name in ("gradient", "cost_at", "slope_at", "curvature_at"):
    _of_two(method_name)


@overload_method(types.BaseNamedTuple, "values", jit_options=HELPER)
def _values(self, points, out):
    """Values at the columns of ``points`` (dim, lanes): the term's own block form, or a loop over the lanes."""
    if hasattr(self.instance_class, "values"):
        method = compiled_method(self.instance_class, "values")
        return lambda self, points, out: method(self, points, out)

    def loop(self, points, out):
        for lane in range(points.shape[1]):
            out[lane] = self.value(points[:, lane])

    return loop


@overload_method(types.BaseNamedTuple, "gradients", jit_options=HELPER)
def _gradients(self, points, out):
    """Gradients at the columns of ``points`` (dim, lanes): the term's own block form, or a loop over the lanes."""
    if hasattr(self.instance_class, "gradients"):
        method = compiled_method(self.instance_class, "gradients")
        return lambda self, points, out: method(self, points, out)

    def loop(self, points, out):
        for lane in range(points.shape[1]):
            self.gradient(points[:, lane], out[:, lane])

    return loop


@overload_method(types.BaseNamedTuple, "values_and_gradients", jit_options=INLINED)
def _values_and_gradients(self, points, values, out):
    """Both at the columns of ``points`` (dim, lanes): the form of a term whose values and gradients share work."""
    if hasattr(self.instance_class, "values_and_gradients"):
        method = compiled_method(self.instance_class, "values_and_gradients")
        return lambda self, points, values, out: method(self, points, values, out)

    def one_after_the_other(self, points, values, out):
        self.values(points, values)
        self.gradients(points, out)

    return one_after_the_other
