"""What the parts of this package ask of the inputs they are given: one sentence for each refusal."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def points(key: str, given: ArrayLike, dim: int | None = None) -> Array:
    """Inputs as an array (n, dim) of finite numbers; on the line (n,) is read as (n, 1)."""
    try:
        x = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{key} holds something that is no number; an array (n, dim) of numbers is allowed") from None
    if x.ndim == 1 and dim in (None, 1):
        x = x[:, None]
    if x.ndim != 2 or x.shape[1] == 0 or dim not in (None, x.shape[1]):
        wanted = "dim" if dim is None else str(dim)
        raise ValueError(f"{key} has the shape {np.shape(given)}; (n, {wanted}) is allowed")
    if not np.all(np.isfinite(x)):
        raise ValueError(f"{key} holds NaN or infinity; finite numbers are allowed")
    return x


def targets(key: str, given: ArrayLike, rows: int) -> Array:
    """Targets as an array (rows,) of finite numbers."""
    try:
        y = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{key} holds something that is no number; an array ({rows},) is allowed") from None
    if y.shape != (rows,):
        raise ValueError(f"{key} has the shape {y.shape}; ({rows},), one number for each row of X, is allowed")
    if not np.all(np.isfinite(y)):
        raise ValueError(f"{key} holds NaN or infinity; finite numbers are allowed")
    return y


def positive(key: str, given: Any) -> float:
    """A positive number whose square, too, is a positive finite number."""
    real = isinstance(given, int | float | np.integer | np.floating) and not isinstance(given, bool)
    if not real or not 1e-150 <= given <= 1e150:
        raise ValueError(f"{key} is {given!r}; a positive finite number is allowed")
    return float(given)


def positives(key: str, given: Any) -> Array:
    """One positive number as an array (), or one for each input coordinate as an array (dim,)."""
    try:
        numbers = np.asarray(given)
    except ValueError:
        numbers = np.asarray(None)  # a ragged list
    real = numbers.dtype.kind in "iuf" and numbers.ndim < 2 and numbers.size > 0
    if not real or not np.all((numbers >= 1e-150) & (numbers <= 1e150)):
        raise ValueError(f"{key} is {given!r}; a positive finite number, or one for each input, is allowed")
    frozen = numbers.astype(np.float64)
    frozen.setflags(write=False)
    return frozen


def whole(key: str, given: Any, least: int = 1) -> int:
    """A whole number of at least ``least``."""
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < least:
        raise ValueError(f"{key} is {given!r}; a whole number of at least {least} is allowed")
    return int(given)
