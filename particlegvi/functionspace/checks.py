"""What the parts of this package ask of the inputs they are given: one sentence for each refusal."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlegvi.tools import arguments

Array = NDArray[np.float64]


def points(key: str, given: ArrayLike, dim: int | None = None) -> Array:
    """Inputs as an array (n, dim) of finite numbers; on the line (n,) is read as (n, 1)."""
    wanted = "dim" if dim is None else str(dim)
    x = arguments.array(key, given, f"an array (n, {wanted}) of numbers")
    if x.ndim == 1 and dim in (None, 1):
        x = x[:, None]
    if x.ndim != 2 or x.shape[1] == 0 or dim not in (None, x.shape[1]):
        raise ValueError(f"{key} has the shape {np.shape(given)}; (n, {wanted}) is allowed")
    if not np.all(np.isfinite(x)):
        raise ValueError(f"{key} holds NaN or infinity; finite numbers are allowed")
    return x


def targets(key: str, given: ArrayLike, rows: int) -> Array:
    """Targets as an array (rows,) of finite numbers."""
    y = arguments.array(key, given, f"an array ({rows},) of numbers", booleans=True)
    if y.shape != (rows,):
        raise ValueError(f"{key} has the shape {y.shape}; ({rows},), one number for each row of X, is allowed")
    if not np.all(np.isfinite(y)):
        raise ValueError(f"{key} holds NaN or infinity; finite numbers are allowed")
    return y


def matrix(key: str, given: Any, columns: int, rows: int | None = None) -> Array:
    """An array (n, columns) of numbers, or one of so many rows."""
    wanted = f"({'n' if rows is None else rows}, {columns})"
    found = arguments.array(key, given, f"an array {wanted} of numbers")
    if found.ndim != 2 or found.shape[1] != columns or rows not in (None, len(found)):
        raise ValueError(f"{key} has the shape {found.shape}; {wanted} is allowed")
    return found


def positive(key: str, given: Any) -> float:
    """A positive number whose square, too, is a positive finite number."""
    number = arguments.real(key, given, "a positive finite number")
    if not 1e-150 <= number <= 1e150:
        raise arguments.refuse(key, given, "a positive finite number, from 1e-150 to 1e+150,")
    return number


def positives(key: str, given: Any) -> Array:
    """One positive number as an array (), or one for each input coordinate as an array (dim,)."""
    allowed = "a positive finite number, or one for each input,"
    numbers = arguments.array(key, given, allowed)
    if numbers.ndim > 1 or not numbers.size or not np.all((numbers >= 1e-150) & (numbers <= 1e150)):
        raise arguments.refuse(key, given, allowed)
    frozen = numbers.copy()
    frozen.setflags(write=False)
    return frozen


def whole(key: str, given: Any, least: int = 1) -> int:
    """A whole number of at least ``least``."""
    return arguments.whole(key, given, least)
