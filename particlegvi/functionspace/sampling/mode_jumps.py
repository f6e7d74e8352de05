"""Jumps between modes of an even posterior. The signs of the function at the data identify a mode.

In coordinates with the prior N(0, I), let m_k be the minimum of the energy with the signs k, and L_k L_k^T its
curvature there. For a particle z with the signs k, a jump to the signs l is

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
from particlegvi.functionspace.sampling import mode
from particlegvi.functionspace.sampling.coordinates import weighted_gram
from particlegvi.functionspace.sampling.data_cost import DataCost

MOST_MODES = 6  # largest number of modes: the modes in which most particles start
MOST_ROWS = 64  # most rows whose signs distinguish modes


class Jumps(NamedTuple):
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


def find(cost: DataCost, state: Array) -> tuple[Array, ...]:
    """The arrays of `Jumps` between the modes of particles (particles, dim); empty for fewer than two modes."""
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
        centre, _ = mode.find(cost, one, side[best] * state[best])
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
