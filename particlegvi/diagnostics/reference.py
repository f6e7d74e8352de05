"""Points that stand for a target where it is paired with particles."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def reference(target: Any, number: int, seed: int = 0) -> tuple[NDArray[np.float64], float]:
    """Points (number, dim) with the target's law, and how many independent draws they are worth.

    On the line the quantiles of (i - 1/2)/number, which are far closer to the target than draws are: worth infinitely
    many. In the plane they are draws.
    """
    if target.dim == 1:
        return target.quantile((np.arange(number) + 0.5) / number)[:, None], np.inf
    return target.sample(number, seed), float(number)
