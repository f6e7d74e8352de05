"""What every score asks of its arguments: as many numbers on both sides, and none that is missing."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.tools import arguments

SMALLEST, LARGEST = 1e-75, 1e75  # of two of these the quotient has a finite square


def vector(values: ArrayLike, name: str) -> np.ndarray:
    """A vector of finite numbers with at least one entry.

    Raises
    ------
    ValueError
        That names the argument, if it is anything else.
    """
    array = arguments.array(name, values, "an array (n,) of numbers", booleans=True)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} has the shape {array.shape}; (n,) with n of at least 1 is allowed")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds a number that is not finite")
    return array


def beside(values: ArrayLike, y: np.ndarray, name: str) -> np.ndarray:
    """A finite number for each of y; one number alone stands for all.

    Raises
    ------
    ValueError
        That names the argument, if there are more or fewer.
    """
    array = arguments.array(name, values, f"a number, or an array ({len(y)},) of numbers,")
    array = np.full(y.shape, float(array)) if array.ndim == 0 else array
    if array.shape != y.shape:
        raise ValueError(f"{name} has the shape {array.shape}, y has {y.shape}; they must agree")
    array = vector(array, name)
    if max(np.max(np.abs(array)), np.max(np.abs(y))) > LARGEST:
        raise ValueError(f"{name} or y holds a number beyond {LARGEST:g}; smaller ones are allowed")
    return array


def spread(values: ArrayLike, y: np.ndarray, name: str = "sd") -> np.ndarray:
    """Positive numbers beside y."""
    array = beside(values, y, name)
    if not (array >= SMALLEST).all():
        raise ValueError(f"{name} holds {array.min()}; only positive numbers, from {SMALLEST:g}, are allowed")
    return array


def labels(values: ArrayLike) -> np.ndarray:
    """A vector of zeros and ones."""
    array = vector(values, "y")
    if not np.isin(array, (0.0, 1.0)).all():
        raise ValueError("y holds a label that is neither 0 nor 1")
    return array


def probabilities(values: ArrayLike, y: np.ndarray) -> np.ndarray:
    """Numbers from 0 to 1 beside y."""
    array = beside(values, y, "probability")
    if not ((array >= 0.0) & (array <= 1.0)).all():
        raise ValueError("probability holds a number outside of 0 to 1")
    return array
