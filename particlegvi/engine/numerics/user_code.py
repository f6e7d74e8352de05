"""Code of a user: the version that holds now, and compiled copies of it.

numba tells two terms apart by the names of their classes alone, and freezes what a function names when it compiles it.
So a notebook cell that is run again after an edit, or a constant that is changed, would go on with the old code. Here
each version of a class has a class of its own, with a number in its name and functions whose names nobody else changes.
Two versions are one if their byte code and all that it names are equal; an object of which nothing is known equals
itself alone. Such code is compiled in memory only: a file on the disk could not tell which version it holds.
"""

from __future__ import annotations

import itertools
import sys
import types
from collections.abc import Hashable, Iterator
from contextlib import suppress
from typing import Any, TypeAlias, TypeVar

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

from particlegvi.engine.numerics.kernel_cache import is_covered, is_ours, is_term

# The methods of terms that compiled code can call (`particlegvi.engine.terms.evaluate`).
METHODS = (
    "value", "slope", "gradient", "values", "gradients", "values_and_gradients", "cost_at", "slope_at", "curvature_at",
)  # fmt: skip
# Their functions are known by their names.
LIBRARIES = frozenset({"particlegvi", "numpy", "scipy", "numba", *sys.stdlib_module_names}) - {"__main__"}
HELPER = {"error_model": "numpy"}  # the options of numba for helpers in plain Python
Part = TypeVar("Part")
Named: TypeAlias = Any  # whatever a user's code may name

_classes: dict[Hashable, type] = {}  # by name and version
_compiled: dict[Hashable, Dispatcher] = {}
_made: set[object] = set()  # the classes and functions above
_kept: dict[int, object] = {}  # objects that a version knows by their number, which must not become that of another
_numbers = itertools.count(1)


def frozen(term: Part, versions: dict[type, type] | None = None) -> Part:
    """A term of a user, and those inside it, in the class of the version that holds now; anything else as it is.

    Classes that are in ``versions`` are not looked at again; others are added to it.
    """
    if not isinstance(term, tuple) or is_ours(term):
        return term
    versions = {} if versions is None else versions
    fields = [frozen(field, versions) for field in term]
    if type(term) not in versions:
        versions[type(term)] = _version_of(type(term)) if is_term(term) else type(term)
    return tuple.__new__(versions[type(term)], fields)  # type: ignore[return-value]


def _version_of(owner: Any) -> type:
    if owner in _made or is_covered(owner.__module__):
        return owner
    methods: dict[str, Named] = {name: getattr(owner, name, None) for name in METHODS}
    own = {name: method for name, method in methods.items() if _is_of_a_user(method)}
    version = owner.__name__, owner._fields, *((name, *_version(method)) for name, method in own.items())
    if version not in _classes:
        content: dict[str, Named] = {name: _fill(_copy(method), method) for name, method in own.items()}
        content |= {"__slots__": (), "__module__": owner.__module__, "__doc__": owner.__doc__}
        _classes[version] = type(f"{owner.__name__}_{next(_numbers)}", (owner,), content)
        _made.add(_classes[version])
    return _classes[version]


def compiled_copy(function: Named, **options: Named) -> Dispatcher:
    """The version of a function that holds now, for numba; with these options where it is not compiled already."""
    if function in _made:
        return function
    plain = function.py_func if isinstance(function, Dispatcher) else function
    options = function.targetoptions if isinstance(function, Dispatcher) else {**options, "nopython": True}
    version = *_version(plain), repr(sorted(options.items()))
    if version not in _compiled:
        copy = _copy(plain)
        _compiled[version] = numba.jit(**options)(copy)  # before it is filled, since it may call itself
        _made.add(_compiled[version])
        _fill(copy, plain)
    return _compiled[version]


def _version(function: types.FunctionType) -> Iterator[Hashable]:
    """The code of a function with all that it names, and the same of its helpers."""
    waiting, done = [function], set()
    while waiting:
        plain = waiting.pop()
        if plain in done:
            continue
        done.add(plain)
        yield plain.__code__
        values = [*(plain.__defaults__ or ()), *(plain.__kwdefaults__ or {}).values()]
        for value in [*values, *_cells(plain), *_globals(plain).values()]:
            if isinstance(value, Dispatcher):
                yield repr(sorted(value.targetoptions.items()))
                waiting.append(value.py_func)
            elif _is_of_a_user(value):
                waiting.append(value)
            else:
                yield _comparable(value, plain.__code__)


def _comparable(value: Named, code: types.CodeType) -> Hashable:
    if isinstance(value, bool | int | float | complex | str | bytes | None):
        return type(value), repr(value)
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, tuple):
        return type(value), *(_comparable(entry, code) for entry in value)
    if isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] not in LIBRARIES:
        names = sorted(name for name in _names(code) if name in vars(value))
        return id(value), *(_comparable(vars(value)[name], code) for name in names)
    _kept[id(value)] = value
    return id(value)


def _globals(function: types.FunctionType) -> dict[str, Named]:
    return {name: function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__}


def _cells(function: types.FunctionType) -> Iterator[Named]:
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # an empty one
            yield cell.cell_contents


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _is_of_a_user(value: Named) -> bool:
    """Whether this is a function in plain Python that no library has."""
    return isinstance(value, types.FunctionType) and (value.__module__ or "").partition(".")[0] not in LIBRARIES


def _copy(function: types.FunctionType) -> types.FunctionType:
    """The function with no globals and empty cells, which `_fill` fills."""
    names = {"__builtins__": __builtins__, "__name__": function.__module__}
    cells = tuple(types.CellType() for _ in function.__closure__ or ())
    copy = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, cells or None)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def _fill(copy: types.FunctionType, function: types.FunctionType) -> types.FunctionType:
    copy.__globals__.update({name: _as_now(value) for name, value in _globals(function).items()})
    for mine, theirs in zip(copy.__closure__ or (), function.__closure__ or (), strict=True):
        with suppress(ValueError):
            mine.cell_contents = _as_now(theirs.cell_contents)
    return copy


def _as_now(value: Named) -> Named:
    if isinstance(value, Dispatcher) or _is_of_a_user(value):
        return compiled_copy(value, **HELPER)
    return value.copy() if type(value) is np.ndarray else value
