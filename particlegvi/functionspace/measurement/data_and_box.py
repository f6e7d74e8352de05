"""The measure of source 004: half of a set from the data, half uniform in their box."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from particlegvi.contracts import Array

Measure: TypeAlias = Callable[[np.random.Generator, Array, int], Array]  # a set (points, dim) for data X and a number


def data_and_box(random: np.random.Generator, X: Array, points: int) -> Array:
    """A random set (points, dim): half of it (rounded down) rows of X, the rest uniform in their box.

    No row is twice in it; with fewer rows than half all of them are.

    Source: Burt, Ober, Garriga-Alonso and van der Wilk (2020), F.1.
    """
    own = min(points // 2, len(X))
    rows = random.choice(len(X), own, replace=False)
    return np.vstack([X[rows], random.uniform(X.min(axis=0), X.max(axis=0), (points - own, X.shape[1]))])
