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

__all__ = ["data_and_box", "kl_at_set", "row_space"]

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


def sets_of(
    X: Array, features: Callable[[Array], Array], points: Array | int, number: int, *, fixed: bool, seed: int
) -> tuple[Array, Callable[[], Array]]:
    """The features (sets, points, k) at all sets, and a function that returns those (points, k) at another set.

    ``features`` maps inputs (n, dim) to checked features (n, k). There are ``number`` random sets of so many ``points``
    by `data_and_box`, or only the first of them if they are ``fixed``; or ``points`` is the only set, (points, dim).
    """
    random = np.random.default_rng(seed)
    if isinstance(points, int):
        drawn = [data_and_box(random, X, points) for _ in range(1 if fixed else number)]
    else:
        fixed, drawn = True, [arguments.points("points", points, X.shape[1], least=1)]
    known = features(np.vstack(drawn)).reshape(len(drawn), len(drawn[0]), -1)
    steps = np.random.default_rng([STREAM, seed])
    return known, lambda: known[0] if fixed else features(data_and_box(steps, X, len(drawn[0])))


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
