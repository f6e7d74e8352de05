"""Code from outside the package, told apart by its content: a digest of byte code and of everything that it refers to.

A notebook cell that is run again after an edit defines a second class or function of the same name. A name says nothing
then, nor does the place: the digest covers byte code, constants, defaults, closure cells, and the helpers, module-level
constants and attributes of the user's modules that the code names. Two definitions with one digest do the same.

Compiled code freezes what it refers to. So a copy is compiled here, whose globals and cells no later edit reaches, and
helpers are compiled anew with it.
"""

from __future__ import annotations

import hashlib
import sys
import threading
import types
from collections.abc import Iterator
from typing import Any, TypeAlias

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

# The methods of terms that compiled code can call (`particlegvi.engine.numerics.adapter`).
METHODS = ("value", "slope", "gradient", "values", "gradients", "cost_at", "slope_at", "curvature_at")
# Code of these is known by its name: their versions do not change while a process lives.
LIBRARIES = frozenset({"particlegvi", "numpy", "scipy", "numba", "llvmlite", *sys.stdlib_module_names}) - {"__main__"}
MISSING = object()
# The module of the classes and functions that are made here: by it another process, which makes the same ones, finds
# them where a kernel on disk names them.
NAMES = sys.modules.setdefault("particlegvi_from_outside", types.ModuleType("particlegvi_from_outside"))
Thing: TypeAlias = Any  # whatever a user's code may refer to

_single: dict[int, tuple[object, int]] = {}  # objects that nothing is known about: each equals itself alone
_jitted: dict[str, Thing] = {}  # functions for numba that were made here, by their digest
_made: set[int] = set()  # the numbers of these objects
_one_at_a_time = threading.RLock()


class Content:
    """Everything that a thing refers to, as a ``digest``."""

    portable = True  # whether another process finds the same digest for the same sources

    def __init__(self, thing: object) -> None:
        self._hash = hashlib.sha256()
        self._seen: dict[int, int] = {}
        self._read: list[tuple[object, str, object]] = []  # owner, name, and what was there
        self._changeable = False  # whether an array, a list or a table is in it, whose entries may change
        self._keep: list[object] = []  # a number in `_seen` belongs to one object as long as that lives
        self._add(thing)
        self.digest = self._hash.hexdigest()[:16]

    def holds(self) -> bool:
        """Whether the digest is certainly the one that would be found now, at the price of a few comparisons."""
        return not self._changeable and all(_look(owner, name) is value for owner, name, value in self._read)

    def _put(self, *words: object) -> None:
        for word in words:
            text = word if isinstance(word, bytes) else str(word).encode("utf-8", "surrogatepass")
            self._hash.update(b"%d:" % len(text) + text)

    def _add(self, thing: Thing) -> None:
        kind = type(thing)
        if thing is None or thing is Ellipsis or kind in (bool, int, str, bytes):
            self._put(kind.__name__, repr(thing))
        elif kind in (float, complex):
            self._put(kind.__name__, np.asarray(thing).tobytes())
        elif isinstance(thing, np.generic | np.dtype):
            self._put("number", repr(thing), np.asarray(thing).tobytes() if isinstance(thing, np.generic) else b"")
        elif id(thing) in self._seen:
            self._put("again", self._seen[id(thing)])
        else:
            self._seen[id(thing)] = len(self._seen)
            self._keep.append(thing)
            self._add_object(thing)

    def _add_object(self, thing: Thing) -> None:
        if isinstance(thing, np.ndarray) and thing.dtype != object:
            self._changeable = True
            self._put("array", thing.dtype.str, thing.shape, thing.flags.c_contiguous, thing.tobytes())
        elif isinstance(thing, tuple | list):
            self._changeable |= isinstance(thing, list)
            self._put("sequence", type(thing).__name__, len(thing))
            if isinstance(thing, tuple) and type(thing) is not tuple:
                self._add(type(thing))
            for each in thing:
                self._add(each)
        elif isinstance(thing, dict):
            self._changeable = True
            self._put("table", len(thing))
            for key, value in thing.items():
                self._add(key)
                self._add(value)
        elif isinstance(thing, frozenset | set):
            self._changeable |= isinstance(thing, set)
            self._put("set", *sorted(repr(each) for each in thing))
        elif isinstance(thing, types.CodeType):
            self._add_code(thing)
        elif isinstance(thing, Dispatcher):
            self._put("jitted", sorted((key, str(value)) for key, value in thing.targetoptions.items()))
            self._put("" if _look(thing, "_can_compile") else str(thing.signatures))
            self._add(thing.py_func)
        elif _is_of_library(thing):
            name = _look(thing, "__qualname__")
            self._put("library", _module_of(thing), "" if name is MISSING else name)  # the same in each process
        elif isinstance(thing, types.FunctionType):
            self._add_function(thing)
        elif is_term_class(thing):
            self._add_class(thing)
        elif isinstance(thing, types.ModuleType):
            self._put("module", thing.__name__)
        else:
            known = _single.setdefault(id(thing), (thing, len(_single)))
            self._put("single", known[1])
            self.portable = False

    def _add_code(self, code: types.CodeType) -> None:
        """Not the name, the file and the line: the same cell again is the same code."""
        self._put("code", code.co_code, code.co_flags, code.co_argcount, code.co_posonlyargcount)
        self._put(code.co_kwonlyargcount, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        self._put(code.co_exceptiontable)
        self._add(code.co_consts)

    def _add_function(self, function: types.FunctionType) -> None:
        self._put("function")
        for name in ("__code__", "__defaults__", "__kwdefaults__"):
            self._add(self._at(function, name))
        for cell in function.__closure__ or ():
            self._add_named("cell", self._at(cell, "cell_contents"), ())
        names = frozenset(_names(function.__code__))
        for name in sorted(names):
            value = self._at(function.__globals__, name)
            if value is not MISSING:
                self._add_named(name, value, names)

    def _add_named(self, name: str, value: object, names: frozenset[str] | tuple[str, ...]) -> None:
        """A value, and of a user's module what the code may take from it."""
        self._put(name)
        if value is MISSING:
            return
        new = id(value) not in self._seen
        self._add(value)
        if isinstance(value, types.ModuleType) and new and not _is_of_library(value):
            for each in sorted(names):
                inside = self._at(value, each)
                if inside is not MISSING:
                    self._add_named(each, inside, names)

    def _add_class(self, owner: Thing) -> None:
        self._put("class", owner.__name__, owner._fields)
        self._add(dict(_look(owner, "_field_defaults")))
        for name in METHODS:
            method = self._at(owner, name)
            if method is not MISSING:
                self._put(name)
                self._add(method)

    def _at(self, owner: Thing, name: str) -> Thing:
        value = _look(owner, name)
        self._read.append((owner, name, value))
        return value


def _look(owner: Thing, name: str) -> Thing:
    if type(owner) is dict:
        return owner.get(name, MISSING)
    try:
        return getattr(owner, name, MISSING)
    except ValueError:  # a cell that is empty
        return MISSING


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _module_of(thing: Thing) -> str:
    if isinstance(thing, types.ModuleType):
        return thing.__name__
    if isinstance(thing, np.ufunc):
        return f"numpy.{thing.__name__}"
    own = _look(thing, "__self__")
    if own is not MISSING and not isinstance(own, types.ModuleType | type):
        return ""  # a method of some object
    found = _look(thing, "__module__")
    return found if isinstance(found, str) else ""


def is_term_class(thing: object) -> bool:
    """Whether this is the class of a ``NamedTuple``, as terms are."""
    return isinstance(thing, type) and issubclass(thing, tuple) and _look(thing, "_fields") is not MISSING


def _is_of_library(thing: Thing) -> bool:
    """Whether this is a module, a function or a class of Python, of numba's world, or of the package."""
    kinds = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type, np.ufunc)
    if not isinstance(thing, kinds):
        return False
    module = _module_of(thing)
    if module == "builtins" and (isinstance(thing, types.FunctionType) or is_term_class(thing)):
        return False  # of a text that `exec` ran in an empty table
    return module.partition(".")[0] in LIBRARIES


def copied_methods(owner: type) -> dict[str, object]:
    """The methods of the class of a term, as they are now, but for those that it has from the package."""
    found = {name: _look(owner, name) for name in METHODS}
    plain = {name: each for name, each in found.items() if isinstance(each, types.FunctionType)}
    return {name: copied(each) for name, each in plain.items() if not _is_of_library(each)}


def copied(function: types.FunctionType) -> types.FunctionType:
    """The function with globals, cells and helpers of its own, as they are now."""
    copy, names = _with_empty_globals(function)
    _fill(copy, names, function)
    return copy


def _with_empty_globals(function: types.FunctionType) -> tuple[types.FunctionType, dict[str, Thing]]:
    names = {"__builtins__": function.__globals__.get("__builtins__", __builtins__), "__name__": NAMES.__name__}
    cells = tuple(types.CellType() for _ in function.__closure__ or ()) or None
    copy = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, cells)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy, names


def _fill(copy: types.FunctionType, names: dict[str, Thing], function: types.FunctionType) -> None:
    for name in _names(function.__code__):
        if name in function.__globals__:
            names[name] = _copy(function.__globals__[name])
    for mine, theirs in zip(copy.__closure__ or (), function.__closure__ or (), strict=True):
        value = _look(theirs, "cell_contents")
        if value is not MISSING:
            mine.cell_contents = _copy(value)


def _copy(value: Thing) -> Thing:
    if isinstance(value, Dispatcher):
        return jitted(value)
    if isinstance(value, types.FunctionType) and not _is_of_library(value):  # a helper in plain Python
        return jitted(value, error_model="numpy")
    return value.copy() if type(value) is np.ndarray else value


def jitted(function: Thing, **options: Thing) -> Thing:
    """A compiled form of a function, plain or compiled already; of two with one digest it is one.

    ``options`` are the options of ``numba.njit`` for a plain function.
    """
    if not isinstance(function, Dispatcher):
        function = numba.njit(**options)(function)
    if id(function) in _made or _is_of_library(function.py_func):
        return function
    with _one_at_a_time:
        digest = Content(function).digest
        if digest not in _jitted:
            copy, names = _with_empty_globals(function.py_func)
            made = numba.jit(**{**function.targetoptions, "nopython": True})(copy)
            _jitted[digest] = made  # before its globals are there, which name it where it calls itself
            _made.add(id(made))
            _fill(copy, names, function.py_func)
            if not _look(function, "_can_compile"):  # only for the types that it was made for
                for signature in function.signatures:
                    made.compile(signature)
                made.disable_compile()
        return _jitted[digest]
