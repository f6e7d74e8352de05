"""Random orders of rows: functions of the seed and the purpose, from the engine's counter-based noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from particlegvi.engine import noise
from particlegvi.functionspace.checks import Array

# Even steps of the role "split"; step 0 is left to splits into training and test rows.
STEPS = {"selection": 2, "k-means": 4, "subsets": 6}


def uniforms(seed: int, purpose: str, count: int) -> Array:
    """Uniforms (count,) on (0, 1)."""
    return noise.uniforms(seed, "split", count, 1, STEPS[purpose])[:, 0]


def order(seed: int, purpose: str, count: int) -> NDArray[np.intp]:
    """A random permutation of 0, ..., count - 1."""
    return np.argsort(uniforms(seed, purpose, count), kind="stable")
