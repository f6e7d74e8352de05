"""L-BFGS within limits that never ends above its start, for every search that needs gradients alone.

`Places` are inducing points as the variables of a search.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from particlegvi.contracts import Array
from particlegvi.functionspace.preprocessing import column_sd

Objective: TypeAlias = Callable[[Array], tuple[float, Array]]  # the value and the gradient


class Minimum(NamedTuple):
    """The end of a search."""

    at: Array  # (variables,)
    before: float  # the value at the start
    after: float  # and at the end, never above the one at the start
    iterations: int
    converged: bool
    at_bound: NDArray[np.bool_]  # which variables ended at one of their limits


def minimise(
    objective: Objective,
    start: Array,
    low: Array | float = -np.inf,
    high: Array | float = np.inf,
    watch: Callable[[Array], object] | None = None,
    **options: float,
) -> Minimum:
    """Minimise over variables (variables,) between ``low`` and ``high``; ``watch`` gets those of each iteration.

    The options are those of scipy's L-BFGS-B.
    """
    before = objective(start)[0]
    bounds = optimize.Bounds(np.broadcast_to(low, start.shape), np.broadcast_to(high, start.shape))
    end = optimize.minimize(
        objective, start, jac=True, method="L-BFGS-B", bounds=bounds, callback=watch, options=options
    )
    # A failed line search may end with a larger value than the start's.
    at, after = (end.x, float(end.fun)) if end.fun <= before else (start, before)
    return Minimum(at, before, after, int(end.nit), bool(end.success), (at <= low) | (at >= high))


class Places:
    """Points (M, dim) that stay between the smallest and the largest number of each column of X, in units of their sd.

    A coordinate that is outside begins at the nearer end; a constant column does not change.
    """

    def __init__(self, X: Array, points: Array) -> None:
        self.lowest, self.highest, self.unit = X.min(axis=0), X.max(axis=0), column_sd(X)
        self.shape = points.shape
        self.start = (np.clip(points, self.lowest, self.highest) / self.unit).ravel()
        self.low, self.high = (np.broadcast_to(end / self.unit, self.shape).ravel()
                               for end in (self.lowest, self.highest))  # fmt: skip

    def at(self, variables: Array) -> Array:
        """The points (M, dim)."""
        return np.clip(variables.reshape(self.shape) * self.unit, self.lowest, self.highest)

    def gradient(self, in_points: Array) -> Array:
        """The gradient in the variables, from the one in the points."""
        return (in_points * self.unit).ravel()
