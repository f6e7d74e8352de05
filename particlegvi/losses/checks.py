"""Checks of everything a loss is made from: terms, their fields, dimensions and names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from particlegvi.contracts import Array
from particlegvi.tools import arguments


def prepared(label: str, field: str, content: object) -> Any:
    """A field of a term as compiled code wants it: a float, a C-contiguous float64 array, or another term."""
    if is_term(content):
        return content
    if isinstance(content, np.ndarray) and content.ndim > 0:
        if content.dtype.kind not in "biuf":
            raise ValueError(f"{field} of {label} must be real numbers, not of the type {content.dtype}")
        prepared: Any = np.require(content, dtype=np.float64, requirements=["C", "A", "W"])
    else:
        number = arguments.array(f"{field} of {label}", content, "a number or an array")
        if number.ndim:
            raise arguments.refuse(f"{field} of {label}", content, "a number or an array")
        prepared = float(number)
    if not np.all(np.isfinite(prepared)):
        raise arguments.refuse(f"{field} of {label}", content, "a finite number")
    return prepared


def is_term(part: object) -> bool:
    """Whether this is a term: a ``NamedTuple`` with at least one field."""
    return isinstance(part, tuple) and bool(declared(part, "_fields"))


def declared(term: object, name: str, otherwise: Any = None) -> Any:
    """An attribute that the class of a term may define, such as ``dim`` or ``minima``; ``otherwise`` if it does not."""
    return getattr(term, name, otherwise)


def whole_dim(dim: object) -> int:
    """Number of coordinates."""
    return arguments.whole("dim", dim, 1, arguments.MOST_COORDINATES)


def named(name: object) -> str:
    """A name for a loss, checked."""
    if not isinstance(name, str) or not 1 <= len(name) <= 200 or not name.isprintable():
        raise arguments.refuse("name", name, "a text of 1 to 200 printable characters")
    return name


def name_of(function: Callable[..., object]) -> str:
    """A function's own name, or "user" where it has none, as a lambda."""
    name = declared(function, "__name__", "")
    return name if name.isidentifier() else "user"


def coordinate_names(dim: int) -> list[str]:
    """theta, or theta_1, theta_2, ..."""
    return ["theta"] if dim == 1 else [f"theta_{number + 1}" for number in range(dim)]


class NamedCoordinates:
    """The names of a loss's coordinates, checked when they are set."""

    dim: int

    @property
    def variables(self) -> list[str]:
        """A name for each coordinate; they may be set, ``loss.variables = ["intercept", "slope"]``."""
        return self._variables

    @variables.setter
    def variables(self, names: Sequence[str]) -> None:
        given = [str(name) for name in names]
        if len(given) != self.dim or len(set(given)) != self.dim or isinstance(names, str):
            raise arguments.refuse("variables", names, f"{self.dim} different names, one for each coordinate")
        self._variables = given


def called(role: str, function: Callable[..., object], points: Array, shape: tuple[int, ...], *which: int) -> Array:
    """The result of a user's array function, checked; the points are lent to it read-only."""
    lent = points.view()
    lent.flags.writeable = False
    returned = function(lent, *which)
    try:
        result = np.asarray(returned)
    except Exception:  # ragged lists, and objects whose conversion fails in their own way
        result = np.asarray(None)
    if result.shape != shape or result.dtype.kind not in "biuf":
        raise ValueError(
            f"{role}(X) returned {result.dtype} of shape {result.shape} for X of shape {points.shape}; "
            f"it must return real numbers of shape {shape}; many points at a time: X[:, 0]**2"
        )
    if result.dtype.kind == "f" and result.dtype.itemsize < 8:
        raise ValueError(
            f"{role}(X) returned {result.dtype}, which has seven digits only; it must return float64, for example"
            " by .astype(float)"
        )
    return np.ascontiguousarray(result, dtype=np.float64)
