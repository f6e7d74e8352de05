"""Terms made of a pair of a user's own functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba.core.dispatcher import Dispatcher

from particlegvi.engine.numerics.compiled import OPTIONS
from particlegvi.engine.numerics.uncompiled import failed, is_of_compiling
from particlegvi.engine.numerics.user_code import compiled_copy
from particlegvi.tools import arguments

Function: TypeAlias = Callable[..., Any]
USER = "user"  # the module of classes made here: they belong to the user, not to the package


class _Functions(NamedTuple):
    unused: float = 0.0  # a term needs a field


def term_of_functions(value: Function, gradient: Function, dim: int) -> tuple[Any, Function, Function]:
    """A term that calls a user's functions, plain or jitted, each at one contiguous point (dim,), and both compiled.

    The value is ``value(x)``, a number; the gradient ``gradient(x, out)``, which fills ``out`` (dim,), or
    ``gradient(x)``, which returns an array (dim,), or with ``dim`` 1 a number. The compiled gradient is fill(x, out). A
    ValueError if a function cannot be compiled, fails at a point, or returns something of the wrong shape.
    """
    jitted_value = _jitted("value", value)
    jitted_gradient = _jitted("gradient", gradient)
    _number_of_arguments("value", value, allowed=(1,))
    fills = _number_of_arguments("gradient", gradient, allowed=(1, 2)) == 2
    trial = np.linspace(0.4, 0.6, dim)
    _expect("value(x)", _called("value", jitted_value, trial.copy()), ())
    returns_number = False
    if not fills:
        result = _called("gradient", jitted_gradient, trial.copy())
        returns_number = dim == 1 and np.ndim(result) == 0
        _expect("gradient(x)", result, () if returns_number else (dim,))
    fill = _filling(jitted_gradient, fills, returns_number)
    _called("gradient", fill, trial.copy(), np.empty(dim))
    content = {"__slots__": (), "__module__": USER, **_methods(jitted_value, fill)}
    return type("Functions", (_Functions,), content)(), jitted_value, fill


def _methods(value: Function, fill: Function) -> dict[str, Function]:
    """The methods of a term. A point is copied: a user's function may want it contiguous, or write to it."""

    def value_of_one(self, x):
        point = np.empty(x.shape[0])
        for i in range(x.shape[0]):
            point[i] = x[i]
        return float(value(point))

    def gradient_of_one(self, x, out):
        point = np.empty(x.shape[0])
        slope = np.empty(x.shape[0])
        for i in range(x.shape[0]):
            point[i] = x[i]
        fill(point, slope)
        for i in range(x.shape[0]):
            out[i] = slope[i]

    def values(self, points, out):
        point = np.empty(points.shape[0])
        for lane in range(points.shape[1]):
            for i in range(points.shape[0]):
                point[i] = points[i, lane]
            out[lane] = float(value(point))

    def gradients(self, points, out):
        point = np.empty(points.shape[0])
        slope = np.empty(points.shape[0])
        for lane in range(points.shape[1]):
            for i in range(points.shape[0]):
                point[i] = points[i, lane]
            fill(point, slope)
            for i in range(points.shape[0]):
                out[i, lane] = slope[i]

    methods: dict[str, Function] = {"value": value_of_one, "gradient": gradient_of_one}
    methods |= {"values": values, "gradients": gradients}
    for method in methods.values():
        method.__module__ = USER
    return methods


def _filling(gradient: Function, fills: bool, returns_number: bool) -> Function:
    """``gradient`` in the form fill(x, out); an entry that it leaves out is nan."""
    if fills:

        def fill(x, out):
            out[:] = np.nan
            gradient(x, out)
    elif returns_number:

        def fill(x, out):
            out[0] = gradient(x)
    else:

        def fill(x, out):
            slope = gradient(x)
            for i in range(out.shape[0]):
                out[i] = slope[i] if i < slope.shape[0] else np.nan

    fill.__module__ = USER
    return compiled_copy(fill, **OPTIONS)


def _jitted(role: str, function: object) -> Function:
    if not (inspect.isfunction(function) or isinstance(function, Dispatcher)):
        raise arguments.refuse(role, function, "a function")
    return compiled_copy(function, **OPTIONS)


def _number_of_arguments(role: str, function: Function, allowed: tuple[int, ...]) -> int:
    try:
        plain = function.py_func if isinstance(function, Dispatcher) else function
        parameters = inspect.signature(plain).parameters.values()
    except (TypeError, ValueError):
        return allowed[0]
    required = [p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if len(required) not in allowed:
        forms = " or ".join({1: f"{role}(x)", 2: f"{role}(x, out)"}[number] for number in allowed)
        raise ValueError(f"{role} takes {len(required)} arguments; it must be {forms}")
    return len(required)


def _called(role: str, function: Function, *arguments: np.ndarray) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        if is_of_compiling(error):
            plain = function.py_func if isinstance(function, Dispatcher) else function
            raise failed(role, error, (plain,), "for plain numpy functions use Loss.from_numpy") from None
        raise ValueError(f"{role} failed at x = {arguments[0].tolist()}: {error!r}") from error


def _expect(call: str, result: object, shape: tuple[int, ...]) -> None:
    """Refuse a result that is not real or not of this shape."""
    array = np.asarray(result)
    wanted = f"an array of shape {shape}" if shape else "a number"
    if array.dtype.kind not in "biuf" or (shape and not isinstance(result, np.ndarray)):
        raise ValueError(f"{call} returned {type(result).__name__}; it must return {wanted}")
    if array.shape != shape:
        raise ValueError(f"{call} returned an array of shape {array.shape}; it must return {wanted}")
