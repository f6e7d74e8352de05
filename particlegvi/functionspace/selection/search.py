"""The search for inducing points that minimise an objective: L-BFGS within the range of the inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from scipy import optimize

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.selection.greedy import greedy
from particlegvi.functionspace.selection.selection import Selection, Targets

MOST_ITERATIONS = 200
Objective: TypeAlias = Callable[[Array], tuple[float, Array]]  # from Z (M, dim) to the value and the gradient (M, dim)


def begin(covariance: Covariance, X: Array, count: int, seed: int, targets: Targets) -> tuple[Array, str]:
    """The points from which a search begins, and the word "given" or "greedy" for their origin."""
    if targets.start is not None:
        return targets.start, "given"
    return greedy(covariance, X, count, seed).points, "greedy"


@one_blas_thread()
def minimise(
    objective: Objective, start: Array, X: Array, most_iterations: int = MOST_ITERATIONS
) -> tuple[Array, Facts]:
    """Points (M, dim) that minimise the objective; it is never larger than at the start.

    Every coordinate stays between the smallest and the largest number of its column of X; a coordinate that is outside
    begins at the nearer end. A constant column does not change. Coordinates are in units of their columns' sd.

    The facts have ``iterations``, ``converged``, the ``objective`` before and after, and ``at_bound``, the number of
    coordinates that end at an end of their column's range.
    """
    low, high = X.min(axis=0), X.max(axis=0)
    unit = np.where(high > low, X.std(axis=0), 1.0)
    unit = np.where(unit > 0.0, unit, 1.0)
    first = np.clip(start, low, high)

    def scaled(z: Array) -> tuple[float, Array]:
        value, gradient = objective(np.clip(z.reshape(first.shape) * unit, low, high))
        return value, (gradient * unit).ravel()

    ends = [np.broadcast_to(end / unit, first.shape).ravel() for end in (low, high)]
    before = objective(first)[0]
    options = {"maxiter": most_iterations, "maxfun": 2 * most_iterations, "ftol": 1e-13}
    found = optimize.minimize(
        scaled, (first / unit).ravel(), jac=True, method="L-BFGS-B", bounds=optimize.Bounds(*ends), options=options
    )
    points = np.clip(found.x.reshape(first.shape) * unit, low, high)
    after = float(found.fun)
    if not after <= before:
        points, after = first, before
    ended = ((points <= low) | (points >= high)) & (high > low)
    return points, {
        "iterations": int(found.nit),
        "converged": bool(found.success),
        "objective": {"before": float(before), "after": after},
        "at_bound": int(ended.sum()),
    }


def kink(covariance: Covariance) -> Facts:
    """A fact for searches with a covariance that is not differentiable everywhere; empty for other covariances."""
    if not covariance.kinked:
        return {}
    return {"kink": "the objective has a kink where an inducing point meets an input; its gradient there is taken as 0"}


def placed(name: str, points: Array, asked: int, seed: int, facts: Facts) -> Selection:
    """The selection for points that are not rows of X."""
    return Selection(points, None, {"selection": name, "asked": asked, "found": len(points), "seed": seed, **facts})
