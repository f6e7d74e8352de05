"""Inducing points at random among the inputs."""

from __future__ import annotations

from particlegvi.functionspace import shuffle
from particlegvi.functionspace.checks import Array
from particlegvi.functionspace.covariances.base import Covariance
from particlegvi.functionspace.selection._selection import Selection, chosen


def random(covariance: Covariance, X: Array, count: int, seed: int) -> Selection:
    """``count`` rows of X without replacement, every subset being equally likely."""
    return chosen("random", X, shuffle.order(seed, "selection", len(X))[:count], count, seed)


random.name = "random"  # type: ignore[attr-defined]
