"""Reflections of regions of the data, by which an even posterior changes its mode.

A reflection of a region changes the sign of the function there, and the function elsewhere as little as possible. In
coordinates with the prior N(0, I), let the columns of W span the directions that the rows of the region determine, and
G be the curvature of the cost of all other rows. Then

    z - 2 V W^T z    with  V = (I + G)^-1 W (W^T (I + G)^-1 W)^-1

changes the sign of all values in the region, with the least change of z in the norm of the prior and the other rows. It
is its own inverse and keeps volumes, so the energies alone decide about its acceptance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array
from particlegvi.engine.numerics import noise
from particlegvi.functionspace.sampling.cost import weighted_gram

SIDES = 12  # number of half spaces
SINGLES = 4  # number of single rows
DETERMINED = 0.1  # a region determines a direction if its curvature is at least this; the prior's curvature is 1


class Region(NamedTuple):
    """Low-rank map z -> z - 2 V W^T z that changes the function's sign on one region of the data."""

    determined: Array  # W, (dim, rank)
    moved: Array  # V, (dim, rank)

    def turned(self, z: Array) -> Array:
        """The particles (particles, dim) after a change of the function's sign in the region."""
        return z - 2.0 * (z @ self.determined) @ self.moved.T


def find_regions(X: Array, features: Array, weights: Array, seed: int) -> list[Region]:
    """Find regions of the rows (rows, inputs) that have a sign.

    The regions are half spaces that end in the largest gaps of the inputs (all of them on the line, along random
    directions otherwise) and single rows. ``features`` (rows, dim) are those of the rows, and ``weights`` (rows,) the
    curvatures of their costs, 0 for rows without a sign.
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
    whole = weighted_gram(features, weights)
    regions = [_region(weighted_gram(features[mask], weights[mask]), whole) for mask in masks if len(mask)]
    return [region for region in regions if 0 < region.determined.shape[1] < len(whole)]


def _region(inside: Array, whole: Array) -> Region:
    eigenvalues, vectors = linalg.eigh(inside)
    # A single row always determines its own direction.
    determined = vectors[:, eigenvalues > min(DETERMINED, 0.5 * eigenvalues[-1])]
    moved = linalg.solve(np.eye(len(whole)) + whole - inside, determined, assume_a="pos")
    return Region(determined, linalg.solve(moved.T @ determined, moved.T).T)
