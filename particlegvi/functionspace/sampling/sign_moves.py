"""Moves of an even posterior between its modes: reflections of regions of the data, and jumps.

A reflection of a region changes the sign of the function there, and the function elsewhere as little as possible. In
coordinates with the prior N(0, I), let the columns of W span the directions that the rows of the region determine, and
G be the curvature of the cost of all other rows. Then

    z - 2 V W^T z    with  V = (I + G)^-1 W (W^T (I + G)^-1 W)^-1

changes the sign of all values in the region, with the least change of z in the norm of the prior and the other rows. It
is its own inverse and keeps volumes, so the energies alone decide about its acceptance.

The signs of the function at the data identify a mode. Let m_k be the minimum of the energy with the signs k, and
L_k L_k^T its curvature there. For a particle z with the signs k, a jump to the signs l is

    z -> m_l + L_l^-T L_k^T (z - m_k),      which changes volumes by det L_k / det L_l

and maps the Gaussian approximation of the posterior around m_k to the one around m_l. The jump back is its inverse. So
the posterior is stationary if l is drawn uniformly, if a jump whose end does not have the signs l is refused, and if
energies and volumes determine the acceptance. z and -z count as one mode, with a positive sign at the first row. The
modes are found at the start and do not change.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array
from particlegvi.engine.numerics import noise
from particlegvi.functionspace.sampling.cost import DataCost, find_mode, weighted_gram

SIDES = 12  # number of half spaces
SINGLES = 4  # number of single rows
DETERMINED = 0.1  # a region determines a direction if its curvature is at least this; the prior's curvature is 1
MOST_MODES = 6  # largest number of modes: the modes in which most particles start
MOST_ROWS = 64  # most rows whose signs distinguish modes


class Region(NamedTuple):
    """Low-rank map z -> z - 2 V W^T z that changes the function's sign on one region of the data."""

    seen: Array  # W, (dim, rank)
    moved: Array  # V, (dim, rank)

    def turned(self, z: Array) -> Array:
        """The particles (particles, dim) after a change of the function's sign in the region."""
        return z - 2.0 * (z @ self.seen) @ self.moved.T


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
    return [region for region in regions if 0 < region.seen.shape[1] < len(whole)]


def _region(inside: Array, whole: Array) -> Region:
    eigenvalues, vectors = linalg.eigh(inside)
    # A single row always determines its own direction.
    seen = vectors[:, eigenvalues > min(DETERMINED, 0.5 * eigenvalues[-1])]
    moved = linalg.solve(np.eye(len(whole)) + whole - inside, seen, assume_a="pos")
    return Region(seen, linalg.solve(moved.T @ seen, moved.T).T)


class SignJumps(NamedTuple):
    """The modes, and the rows whose signs distinguish them."""

    rows: Array  # features of the rows whose signs identify a mode, (rows, dim)
    signs: Array  # signs of each mode, (modes, rows)
    centres: Array  # m_k, (modes, dim)
    factors: Array  # L_k, lower triangular, (modes, dim, dim)

    def places(self, z: Array) -> tuple[Array, np.ndarray]:
        """The sign of each particle at the first row, and the number of its mode, or -1 for no mode."""
        side, signs = _signs(self.rows, z)
        same = signs @ self.signs.T == self.signs.shape[1]
        return side, np.where(same.any(axis=1), same.argmax(axis=1), -1)

    def jumped(self, z: Array, uniforms: Array) -> tuple[Array, Array]:
        """The particles (particles, dim) after a jump, and the logarithm of the change of volume, -inf for no jump.

        ``uniforms`` (particles,) draw the mode to jump to among the other modes.
        """
        side, begin = self.places(z)
        others = len(self.centres) - 1
        end = (begin + 1 + np.minimum((uniforms * others).astype(np.intp), others - 1)) % len(self.centres)
        sizes = np.log(np.einsum("kii->ki", self.factors)).sum(axis=1)
        moved, ratio = z.copy(), np.full(len(z), -np.inf)
        for here, there in np.ndindex(len(self.centres), len(self.centres)):
            these = np.flatnonzero((begin == here) & (end == there))
            if len(these):
                turn = side[these, None]
                straight = (turn * z[these] - self.centres[here]) @ self.factors[here]
                bent = linalg.solve_triangular(self.factors[there], straight.T, lower=True, trans="T").T
                moved[these] = turn * (self.centres[there] + bent)
                ratio[these] = sizes[here] - sizes[there]
        arrived, found = self.places(moved)
        ratio[(found != end) | (arrived != side)] = -np.inf
        return moved, ratio


def find_jumps(cost: DataCost, state: Array) -> tuple[Array, ...]:
    """The arrays of `SignJumps` between the modes of particles (particles, dim); empty for fewer than two modes."""
    signed = np.flatnonzero(cost.y > 0.0)
    if not len(signed):
        return ()
    some = signed[:: -(-len(signed) // MOST_ROWS)]
    rows = cost.features[np.concatenate([some[[np.argmax(cost.y[some])]], some])]  # first one whose sign is clear
    side, signs = _signs(rows, state)
    patterns, members, counts = np.unique(signs, axis=0, return_inverse=True, return_counts=True)
    energies = cost.costs(state) + 0.5 * np.einsum("jm,jm->j", state, state)
    kept, centres, factors = [], [], []
    one = np.eye(state.shape[1])
    for pattern in np.argsort(-counts, kind="stable")[:MOST_MODES]:
        inside = np.flatnonzero(members.ravel() == pattern)
        best = inside[np.argmin(energies[inside])]
        centre, _ = find_mode(cost, one, side[best] * state[best])
        if np.array_equal(_signs(rows, centre[None])[1][0], patterns[pattern]) and rows[0] @ centre > 0.0:
            curvatures = cost.likelihood.curvature(cost.features @ centre, cost.y)
            kept.append(patterns[pattern])
            centres.append(centre)
            factors.append(linalg.cholesky(one + weighted_gram(cost.features, curvatures), lower=True))
    if len(kept) < 2:
        return ()
    return np.ascontiguousarray(rows), np.array(kept), np.array(centres), np.array(factors)


def _signs(rows: Array, z: Array) -> tuple[Array, Array]:
    """The sign of each particle at the first row, (particles,), and at all rows relative to it, (particles, rows)."""
    positive = np.where(z @ rows.T > 0.0, 1.0, -1.0)
    return positive[:, 0], positive * positive[:, :1]
