"""Rules that choose inducing points by the inputs alone, and the search of the rules that have an objective."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace import preprocessing, search
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.search import Objective, Places
from particlegvi.tools.registry import named

EXHAUSTED = 1e-10  # a conditional variance below this share of the largest prior variance is rounding
MOST_ITERATIONS = 200
KINK = "the objective has a kink where an inducing point meets an input; its gradient there is taken as 0"


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


@named("random")
def random(covariance: Covariance, X: Array, count: int, seed: int) -> Selection:
    """Draw ``count`` rows of X without replacement; every subset is equally likely.

    The rule uses neither the covariance nor the distances of the inputs. It is a comparator for the other rules: it
    takes many points from clusters of inputs, and leaves gaps in places with few inputs.
    """
    return chosen("random", X, preprocessing.order(seed, "selection", len(X))[:count], count, seed)


@named("greedy")
def greedy(covariance: Covariance, X: Array, count: int, seed: int) -> Selection:
    """Select one point after another: the input with the largest variance given the values at the earlier points.

    This is the Cholesky factorisation of k(X, X) with complete pivoting, stopped after ``count`` columns: O(n M^2) time
    and O(n M) memory; k(X, X) is never formed. A random order breaks ties, such as at the first point of a stationary
    covariance. The selection stops early if no variance is left, for example with fewer distinct inputs than ``count``.

    Sources: Burt, Rasmussen and van der Wilk (2020), section 4.2; Chen, Zhang and Zhou (2018), algorithm 1.
    """
    shuffled = preprocessing.order(seed, "selection", len(X))
    x = X[shuffled]
    left = covariance.diagonal(x)
    least = EXHAUSTED * left.max()
    columns = np.empty((count, len(x)))  # columns of the factor, each contiguous
    picks: list[int] = []
    for m in range(count):
        best = int(np.argmax(left))
        if not left[best] > least:
            break
        column = covariance(x[best : best + 1], x)[0] - columns[:m, best] @ columns[:m]
        column /= np.sqrt(left[best])
        columns[m] = column
        left -= column * column
        left[best] = 0.0  # exactly 0, so that no point is chosen twice
        picks.append(best)
    return chosen("greedy", X, shuffled[picks], count, seed)


@one_blas_thread()
def place(
    objective: Objective, start: Array, X: Array, most_iterations: int = MOST_ITERATIONS,
    path: list[Array] | None = None,
) -> tuple[Array, Facts]:  # fmt: skip
    """Points (M, dim) that minimise the objective, as `search.Places`; it is never larger than at the start.

    The facts have ``iterations``, ``converged``, the ``objective`` before and after, and ``at_bound``, the number of
    coordinates that end at an end of their column's range. The points of each iteration are added to ``path``.
    """
    places = Places(X, start)

    def scaled(variables: Array) -> tuple[float, Array]:
        value, gradient = objective(places.at(variables))
        return value, places.gradient(gradient)

    end = search.minimise(
        scaled, places.start, places.low, places.high,
        watch=None if path is None else lambda variables: path.append(places.at(variables)),
        maxiter=most_iterations, maxfun=2 * most_iterations, ftol=1e-13,
    )  # fmt: skip
    return places.at(end.at), {
        "iterations": end.iterations,
        "converged": end.converged,
        "objective": {"before": end.before, "after": end.after},
        "at_bound": int(np.sum(end.at_bound & (places.high > places.low))),
    }


def searched(
    name: str, objective: Objective, covariance: Covariance, X: Array, count: int, *, seed: int, targets: Targets,
    **more: int,
) -> Selection:  # fmt: skip
    """The selection that `place` finds from given or from greedy points; ``more`` are further facts."""
    start = greedy(covariance, X, count, seed).points if targets.start is None else targets.start
    points, facts = place(objective, start, X)
    origin = "greedy" if targets.start is None else "given"
    choice = {"selection": name, "asked": count, "found": len(points), "seed": seed, "start": origin}
    return Selection(points, None, {**choice, **more, **facts, **({"kink": KINK} if covariance.kinked else {})})
