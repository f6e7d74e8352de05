"""Standard deviations of columns, for scaling, labels of two classes, and random orders of rows.

An order is a function of the seed and the purpose, from the engine's counter-based noise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from particlegvi.contracts import Array
from particlegvi.engine.numerics import noise
from particlegvi.tools.arguments import vector

# Even steps of the role "split"; splits into training and test rows use step 0.
STEPS = {
    "selection": 2, "subsets": 6, "minibatches": 8, "regressors": 10, "validation": 12, "context": 14,
    "validation of means": 16,
}  # fmt: skip


def column_sd(columns: Array, ddof: int = 0) -> Array:
    """The standard deviation of each column (or of a single column); 1 for a constant column.

    A column counts as constant if its deviation is within rounding errors: for a column of 0.1 it may be 3e-17.
    """
    sd = columns.std(axis=0, ddof=ddof)
    rounding = len(columns) * np.finfo(float).eps * np.abs(columns).max(axis=0, initial=0.0)
    return np.where(sd > rounding, sd, 1.0)


def two_labels(labels: ArrayLike, rows: int) -> Array:
    """Labels 0 and 1, each at least once, as an array (rows,)."""
    numbers = vector("labels", labels, rows)
    if set(np.unique(numbers)) != {0.0, 1.0}:
        raise ValueError(f"labels must be 0 and 1, each at least once, not {np.unique(numbers)[:5].tolist()}")
    return numbers


def class_labels(labels: ArrayLike, rows: int, known: int | None = None) -> tuple[NDArray[np.intp], int]:
    """Labels 0, ..., J - 1 as an array (rows,), and J: ``known``, or found if each occurs and J is at least 2."""
    numbers = vector("y", labels, rows)
    wrong = numbers[(numbers < 0.0) | (numbers != np.floor(numbers))]
    if wrong.size:
        raise ValueError(f"y must be labels 0, 1, ..., J - 1, not {wrong[0]:g}")
    number = known or len(np.unique(numbers))
    if known and numbers.max(initial=0.0) >= known:
        raise ValueError(f"y must be labels 0, 1, ..., {known - 1} of the fit, not {numbers.max():g}")
    if number < 2 or numbers.max(initial=0.0) >= number:
        raise ValueError("y must have each of the labels 0, ..., J - 1 at least once, J at least 2")
    return numbers.astype(np.intp), number


def order(seed: int, purpose: str, count: int) -> NDArray[np.intp]:
    """A random permutation of 0, ..., count - 1."""
    return np.argsort(noise.uniforms(seed, "split", count, 1, STEPS[purpose])[:, 0], kind="stable")
