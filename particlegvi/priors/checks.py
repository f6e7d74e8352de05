"""What the priors ask of their parameters and of the points they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlegvi.tools import arguments

Vector = NDArray[np.float64]


def vector(key: str, given: Any) -> Vector:
    """One finite number or a list of them as an array (1,) or (dim,)."""
    allowed = "a finite number or a list of finite numbers"
    numbers = arguments.array(key, given, allowed)
    if numbers.ndim > 1 or numbers.size == 0 or not np.all(np.isfinite(numbers)):
        raise arguments.refuse(key, given, allowed)
    return np.atleast_1d(numbers)


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
    x = arguments.array("x", given, f"an array (n, {dim})")
    return arguments.points("x", x.reshape(-1) if dim == 1 and x.ndim < 2 else x, dim, finite=False)


def whole(key: str, given: Any) -> int:
    """A whole number of at least 1."""
    return arguments.whole(key, given, least=1)


def shown(array: Vector) -> float | list[float]:
    """As a user would have written it: a number on the line, a list otherwise."""
    return float(array[0]) if array.size == 1 else array.tolist()
