"""Regions of the data whose part of an even posterior may be turned over by itself."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from particlegvi.engine import noise
from particlegvi.functionspace.checks import Array
from particlegvi.functionspace.data_cost import weighted_gram

SIDES = 12  # half spaces
SINGLES = 4  # single rows
DETERMINED = 0.1  # curvature, against 1 of the prior, from which on a direction counts as determined by a region


def find(X: Array, features: Array, weights: Array, seed: int) -> list[Array]:
    """Orthonormal bases (dim, rank) of what some regions of the rows determine, in coordinates with prior N(0, I).

    The regions are half spaces that end in the largest gaps of the inputs (all of them on the line, along random
    directions otherwise) and single rows.

    Parameters
    ----------
    X : array (rows, inputs)
    features : array (rows, dim)
    weights : array (rows,)
        Curvature of the cost of each row; rows with weight 0 have no sign to turn over.
    """
    rows = np.flatnonzero(weights > 0.0)
    if len(rows) < 2:
        return []
    directions = noise.normals(seed, "draws", SIDES, X.shape[1], 2)
    masks = []
    for number in range(SIDES):
        along = X[rows] @ directions[number]
        ordered = np.sort(along)
        gaps = np.argsort(-np.diff(ordered), kind="stable")
        gap = gaps[number if X.shape[1] == 1 else 0] if number < len(gaps) else None
        if gap is not None and ordered[gap + 1] > ordered[gap]:
            masks.append(rows[along <= 0.5 * (ordered[gap] + ordered[gap + 1])])
    singles = np.argsort(noise.uniforms(seed, "draws", len(rows), 1, 2, first=X.shape[1])[:, 0], kind="stable")
    masks += [rows[single : single + 1] for single in singles[:SINGLES]]
    bases = [_span(features[mask], weights[mask]) for mask in masks]
    return [basis for basis in bases if 0 < basis.shape[1] < features.shape[1]]


def _span(features: Array, weights: Array) -> Array:
    eigenvalues, vectors = linalg.eigh(weighted_gram(features, weights))
    # a single row always determines its own direction
    return vectors[:, eigenvalues > min(DETERMINED, 0.5 * eigenvalues[-1])]
