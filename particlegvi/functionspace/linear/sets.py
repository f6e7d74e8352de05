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
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from particlegvi.contracts import Array
from particlegvi.tools import arguments
from particlegvi.tools.quoting import refuse

__all__ = ["Measure", "Sets", "data_and_box", "kl_at_set", "row_space"]

RANK = 1e-10  # singular values below this part of the largest are rounding
STREAM = 17  # keeps the sets of single steps apart from those of the objective
A_MEASURE = "a function of a generator, X and a number of points, an array (sets, points, dim), or None"
Measure: TypeAlias = Callable[[np.random.Generator, Array, int], Array]  # a set (points, dim) for data X and a number


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

    ``features`` maps inputs (n, dim) to checked features (n, k). ``points`` is the number of inputs in a set, or the
    only set (points, dim). ``measure(generator, X, points)`` draws a set, an array (sets, points, dim) holds all sets,
    which are equally likely, and None stands for `data_and_box`. ``number`` sets replace a random measure.
    """

    def __init__(
        self,
        X: Array,
        features: Callable[[Array], Array],
        points: Array | int,
        measure: Measure | ArrayLike | None,
        number: int,
        *,
        seed: int,
    ) -> None:
        self.X, self.features, self.number, self.seed = X, features, number, seed
        dim = X.shape[1]
        self._given: Array | None = None
        self._measure: Measure = data_and_box
        if isinstance(points, np.ndarray):
            self._given = features(arguments.points("points", points, dim, least=1))[None]
        elif callable(measure) and not isinstance(measure, type):
            self._measure = measure
        elif measure is not None:
            given = arguments.array("measure", measure, A_MEASURE)
            if given.ndim != 3 or 0 in given.shape or given.shape[2] != dim:
                raise refuse("measure", measure, f"a function, None, or an array (sets, points, dim) with dim {dim}")
            arguments.finite("measure", given, A_MEASURE)
            self._given = features(given.reshape(-1, dim)).reshape(*given.shape[:2], -1)
        self.points = points if isinstance(points, int) else len(points)
        if self._given is not None:
            self.points = self._given.shape[1]

    def every(self, number: int | None = None) -> Array:
        """The features (sets, points, k) at the given sets, or at ``number`` random sets, equal at every call."""
        if self._given is not None:
            return self._given[:number]
        random = np.random.default_rng(self.seed)
        drawn = [self._draw(random) for _ in range(self.number if number is None else number)]
        return self.features(np.vstack(drawn)).reshape(len(drawn), self.points, -1)

    def steps(self) -> Callable[[], Array]:
        """A function that returns the features (points, k) at a new random set at each call."""
        random = np.random.default_rng([STREAM, self.seed])
        if self._given is None:
            return lambda: self.features(self._draw(random))
        given = self._given
        return lambda: given[random.integers(len(given))]

    def _draw(self, random: np.random.Generator) -> Array:
        found = arguments.points("measure(generator, X, points)", self._measure(random, self.X, self.points),
                                 self.X.shape[1])  # fmt: skip
        if len(found) != self.points:
            raise ValueError(f"measure(generator, X, points) must give {self.points} points, not {len(found)}")
        return found


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
