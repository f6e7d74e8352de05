"""Inducing points of the largest conditional variance: the rule of the thesis (D.14.1)."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array
from particlegvi.functionspace import preprocessing
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.selection.selection import Selection, chosen
from particlegvi.tools.registry import named

EXHAUSTED = 1e-10  # a conditional variance below this share of the largest prior variance is rounding


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
