"""The result of a rule that selects inducing points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array, Facts


class Selection(NamedTuple):
    """Selected inducing points."""

    points: Array  # (M, dim)
    indices: NDArray[np.intp] | None  # (M,), row numbers in X; None if the points are not rows of X
    facts: Facts  # the rule, the requested and the actual number of points, the seed


def chosen(name: str, X: Array, indices: NDArray[np.intp], asked: int, seed: int) -> Selection:
    """The selection of some rows of X."""
    facts = {"selection": name, "asked": asked, "found": len(indices), "seed": seed}
    return Selection(X[indices], indices, facts)


class Targets(NamedTuple):
    """Targets and further arguments of a rule that places inducing points by an objective."""

    y: Array  # (n,)
    noise_variance: float
    start: Array | None = None  # (M, dim); None for greedy points
