"""Inducing points at random among the inputs."""

from __future__ import annotations

from particlegvi.contracts import Array
from particlegvi.functionspace import preprocessing
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.selection.selection import Selection, chosen
from particlegvi.tools.registry import named


@named("random")
def random(covariance: Covariance, X: Array, count: int, seed: int) -> Selection:
    """``count`` rows of X without replacement, every subset being equally likely."""
    return chosen("random", X, preprocessing.order(seed, "selection", len(X))[:count], count, seed)
