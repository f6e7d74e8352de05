"""Inducing points at the centres of clusters."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from particlegvi.contracts import Array
from particlegvi.functionspace import preprocessing
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.selection.selection import Selection
from particlegvi.tools.registry import named

ROUNDS = 30  # largest number of rounds of Lloyd's algorithm; the points need not be optimal
ROWS = 8192


@named("k-means")
def k_means(covariance: Covariance, X: Array, count: int, seed: int) -> Selection:
    """Centres of ``count`` clusters: k-means++ to begin with, then Lloyd's algorithm.

    Distances are Euclidean distances of the unscaled inputs. If X has fewer distinct rows than ``count``, the result is
    these rows. A cluster that becomes empty keeps its centre.

    Source: Arthur and Vassilvitskii (2007).
    """
    centres = _plus_plus(X, count, preprocessing.uniforms(seed, "k-means", count))
    previous = np.full(len(X), -1)
    for _ in range(ROUNDS):
        nearest = _nearest(X, centres)
        if np.array_equal(nearest, previous):
            break
        previous = nearest
        sizes = np.bincount(nearest, minlength=len(centres))
        sums = np.stack([np.bincount(nearest, column, len(centres)) for column in X.T], axis=1)
        filled = sizes > 0
        centres[filled] = sums[filled] / sizes[filled, None]
    facts = {"selection": "k-means", "asked": count, "found": len(centres), "seed": seed}
    return Selection(centres, None, facts)


def _plus_plus(X: Array, count: int, uniforms: Array) -> Array:
    """Draw rows of X, each with a probability proportional to the squared distance to the nearest earlier row."""
    centres = X[[min(int(uniforms[0] * len(X)), len(X) - 1)]]
    squares = np.sum((X - centres[0]) ** 2, axis=1)
    for u in uniforms[1:]:
        cumulative = np.cumsum(squares)
        if not cumulative[-1] > 0.0:
            break
        # side="right" never finds a row of weight 0, which is a centre already
        row = min(int(np.searchsorted(cumulative, u * cumulative[-1], side="right")), int(squares.nonzero()[0][-1]))
        centres = np.vstack([centres, X[row]])
        squares = np.minimum(squares, np.sum((X - X[row]) ** 2, axis=1))
    return centres


def _nearest(X: Array, centres: Array) -> np.ndarray:
    blocks = [X[first : first + ROWS] for first in range(0, len(X), ROWS)]
    return np.concatenate([cdist(block, centres, "sqeuclidean").argmin(axis=1) for block in blocks])
