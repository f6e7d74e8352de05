"""Sets of inputs at which functions are compared: how they are drawn, and KL between function values at one set.

The values of w . phi at a set A are F w with F the features at A. Let the rows of U be an orthonormal basis of the row
space of F: then F w determines U w, and U w determines F w. So KL between the laws of the values for w ~ N(m, S) and
for w ~ N(0, I) equals KL between the laws of U w, and needs no jitter:

    KL(Q_A, P_A) = (tr U S U^T + |U m|^2 - r - log det U S U^T) / 2,     r the rank.                            (1)

Source: Burt, Ober, Garriga-Alonso and van der Wilk (2020), appendix E, for sets with independent rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array
from particlegvi.tools import arguments
from particlegvi.tools.quoting import refuse

__all__ = ["Sets", "data_and_box", "kl_at_set", "row_space"]

RANK = 1e-10  # singular values below this part of the largest are rounding
STREAM = 17  # keeps the sets of single steps apart from those of the objective


def data_and_box(random: np.random.Generator, X: Array, points: int) -> Array:
    """A random set (points, dim): half of it (rounded down) rows of X, the rest uniform in their box.

    The rows are different; if X has fewer rows than this half, all rows are taken.

    Source: Burt, Ober, Garriga-Alonso and van der Wilk (2020), F.1.
    """
    own = min(points // 2, len(X))
    rows = random.choice(len(X), own, replace=False)
    return np.vstack([X[rows], random.uniform(X.min(axis=0), X.max(axis=0), (points - own, X.shape[1]))])


class Sets:
    """Random sets of inputs for data X (n, dim), or given ones.

    ``features`` maps inputs (n, dim) to checked features (n, k). ``points`` is the number of inputs in a random set, by
    `data_and_box`; or the only set, (points, dim); or all sets, (sets, points, dim), which are equally likely.
    ``number`` random sets replace all random sets.
    """

    def __init__(
        self, X: Array, features: Callable[[Array], Array], points: Array | int, number: int, *, seed: int
    ) -> None:
        self.X, self.features, self.number, self.seed = X, features, number, seed
        self._known: Array | None = None
        if isinstance(points, int):
            self.points = points
            return
        dim = X.shape[1]
        sets = points if points.ndim > 2 else arguments.points("points", points, dim, least=1)[None]
        if sets.ndim != 3 or 0 in sets.shape or sets.shape[2] != dim:
            raise refuse("points", points, f"a number, or an array (points, dim) or (sets, points, dim) with dim {dim}")
        inputs = arguments.points("points", sets.reshape(-1, dim), dim)
        self._known, self.points = features(inputs).reshape(*sets.shape[:2], -1), sets.shape[1]

    def every(self, number: int | None = None) -> Array:
        """The features (sets, points, k) at the given sets, or at ``number`` random sets, equal at every call."""
        if self._known is not None:
            return self._known[:number]
        random = np.random.default_rng(self.seed)
        drawn = [data_and_box(random, self.X, self.points) for _ in range(number or self.number)]
        return self.features(np.vstack(drawn)).reshape(len(drawn), self.points, -1)

    def steps(self) -> Callable[[], Array]:
        """A function that returns the features (points, k) at a new random set at each call."""
        random = np.random.default_rng([STREAM, self.seed])
        known = self._known
        if known is None:
            return lambda: self.features(data_and_box(random, self.X, self.points))
        return lambda: known[random.integers(len(known))]


def row_space(features: Array) -> Array:
    """An orthonormal basis U (rank, k) of the rows of features (points, k)."""
    _, singular, rows = np.linalg.svd(features, full_matrices=False)
    return np.asarray(rows[singular > RANK * singular[0]] if singular.size and singular[0] > 0.0 else rows[:0])


def kl_at_set(mean: Array, covariance: Array, features: Array) -> float:
    """KL(Q_A, P_A) for w ~ N(mean, covariance) and w ~ N(0, I), in nats; infinite if the values of Q are singular."""
    basis = row_space(features)
    variances = linalg.eigvalsh(basis @ covariance @ basis.T) if len(basis) else np.ones(0)
    if np.any(variances <= len(variances) * np.finfo(float).eps * variances.max(initial=0.0)):
        return math.inf
    pull = basis @ mean
    return float(0.5 * (np.sum(variances - 1.0 - np.log(variances)) + pull @ pull))
