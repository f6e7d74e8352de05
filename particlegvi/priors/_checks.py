"""What the priors ask of their parameters and of the points they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]


def vector(key: str, given: Any) -> Vector:
    """One finite number or a list of them as an array (1,) or (dim,)."""
    try:
        numbers = np.asarray(given)
    except ValueError:
        numbers = np.asarray(None)  # a ragged list
    if numbers.dtype.kind not in "iuf" or numbers.ndim > 1 or numbers.size == 0 or not np.all(np.isfinite(numbers)):
        raise ValueError(f"{key} is {given!r}; a finite number or a list of finite numbers is allowed")
    return np.atleast_1d(numbers).astype(np.float64)


def same_length(keys: tuple[str, str], first: Vector, second: Vector) -> tuple[Vector, Vector]:
    """Both as arrays (dim,) that cannot be changed; one number stands for every coordinate."""
    dim = max(first.size, second.size)
    if first.size not in (1, dim) or second.size not in (1, dim):
        raise ValueError(
            f"{keys[0]} has {first.size} entries and {keys[1]} has {second.size}; the same number, or one, is allowed"
        )
    return frozen(np.full(dim, first)), frozen(np.full(dim, second))


def frozen(array: Vector) -> Vector:
    array.setflags(write=False)
    return array


def points(given: ArrayLike, dim: int) -> Vector:
    """Points of shape (n, dim); on the line (n,) is read as (n, 1)."""
    x = np.asarray(given, dtype=np.float64)
    if dim == 1 and x.ndim < 2:
        x = x.reshape(-1, 1)
    if x.ndim != 2 or x.shape[1] != dim:
        raise ValueError(f"points have the shape {np.shape(given)}; (n, {dim}) is allowed")
    return x


def whole(key: str, given: Any) -> int:
    """A whole number of at least 1."""
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < 1:
        raise ValueError(f"{key} is {given!r}; a whole number of at least 1 is allowed")
    return int(given)


def shown(array: Vector) -> float | list[float]:
    """As a user would have written it: a number on the line, a list otherwise."""
    return float(array[0]) if array.size == 1 else array.tolist()
