"""DE's target in the plane: the share of the start that flows to each minimum (Theorem 5.4.1), with an error bound.

The distribution of the start is cut into strata of equal probability and the flow integrated from the middle of each.
Strata next to another basin are cut in four, repeatedly. The mass that remains undecided bounds the error, provided
that no basin is narrower than a stratum everywhere.
"""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Loss, Prior
from particlegvi.targets.basins.basins_line import Q0
from particlegvi.targets.basins.minima import AWAY, UNRESOLVED, BasinDescent, Landscape
from particlegvi.targets.density import AtomicTarget

FIRST = 64  # strata in each coordinate at first
HALVINGS = 5
ENOUGH = 2e-3  # error bound below which no more strata are cut
MOST_STARTS = 80_000
LOST = 1e-6


def basins_in_plane(loss: Loss, low: np.ndarray, high: np.ndarray, initial: Prior | np.ndarray) -> AtomicTarget:
    """Atoms and weights for a loss on a box (reflecting where finite) from a prior object or points (n, 2)."""
    points = initial if isinstance(initial, np.ndarray) else None
    if not isinstance(initial, np.ndarray):
        start = Q0(initial)
        inside = [start.cdf(high[i : i + 1], i)[0] - start.cdf(low[i : i + 1], i)[0] for i in range(2)]
        if min(inside) < 1.0 - LOST:
            raise ValueError(f"{1.0 - min(inside):.3g} of the initial mass lies outside the prior's box; none may")
        scale = float(np.max(start.quantile_span()))
    else:
        if np.any(initial < low) or np.any(initial > high):
            raise ValueError("some initial points lie outside the prior's box; all of them must lie inside")
        scale = float(max(np.max(np.ptp(initial, axis=0)) / 4.0, 0.1 * np.max(np.abs(initial)), 1e-3))

    def gradient(x: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return np.array(loss.gradient(np.ascontiguousarray(x)), dtype=np.float64)

    def value(x: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return np.asarray(loss.value(np.ascontiguousarray(x)), dtype=np.float64)

    descent = BasinDescent(Landscape(value, gradient, low, high, scale))
    if points is None:
        table, doubt = _strata(descent, start)
        return _target(descent, table.ravel(), doubt, np.empty((0, 2)))
    still = ~np.any(descent.velocity(points), axis=1)  # a start on a critical point stays
    return _target(descent, descent.labels(points[~still]), 0.0, points[still])


def _strata(descent: BasinDescent, start: Q0) -> tuple[np.ndarray, float]:
    """Labels of all strata, and the mass of those next to another basin."""

    def follow(rows: np.ndarray, columns: np.ndarray, size: int) -> np.ndarray:
        u = (np.stack([rows, columns], axis=1) + 0.5) / size
        return descent.labels(np.stack([start.quantile(u[:, i], i) for i in range(2)], axis=1))

    size = FIRST
    every = np.indices((size, size)).reshape(2, -1)
    table = follow(every[0], every[1], size).reshape(size, size)
    followed = size * size
    for _ in range(HALVINGS):
        mixed = _mixed(table)
        if mixed.mean() <= ENOUGH or followed + 4 * mixed.sum() > MOST_STARTS:
            break
        table, mixed = (np.repeat(np.repeat(part, 2, axis=0), 2, axis=1) for part in (table, mixed))
        size *= 2
        known = np.zeros_like(mixed)
        while np.any(mixed & ~known):  # a basin's edge may run through a neighbour
            rows, columns = np.nonzero(mixed & ~known)
            table[rows, columns] = follow(rows, columns, size)
            followed += len(rows)
            known |= mixed
            mixed = _mixed(table)
    return table, float(_mixed(table).mean())


def _mixed(table: np.ndarray) -> np.ndarray:
    """Mask of the strata without a label, or with another label on one of their eight neighbours."""
    padded = np.pad(table, 1, mode="edge")
    rows, columns = table.shape
    result = table == UNRESOLVED
    for i in range(3):
        for j in range(3):
            result |= padded[i : i + rows, j : j + columns] != table
    return result


def _target(descent: BasinDescent, labels: np.ndarray, doubt: float, still: np.ndarray) -> AtomicTarget:
    """Atoms and weights of equally likely starts: by their labels, and the starts ``still`` that do not move."""
    number = len(labels) + len(still)
    away, unknown = (float(np.sum(labels == code)) / number for code in (AWAY, UNRESOLVED))
    if away > LOST:
        raise ValueError(f"{away:.2g} of the initial mass flows to infinity, where the loss has no minimum")
    if unknown > 0.05:
        raise ValueError(f"the flow of {unknown:.2g} of the initial mass does not settle, so DE's target is not known")
    weights = np.bincount(labels[labels >= 0], minlength=len(descent.traps)) / number
    keep = weights > 0.0
    minima = np.array([trap.at for trap in descent.traps]).reshape(-1, 2)[keep]
    speeds = np.linalg.norm(descent.velocity(minima), axis=1)
    nearby = np.linalg.norm(descent.velocity(minima + 1e-3 * descent.landscape.scale), axis=1)
    residual = float(np.max(speeds[speeds < 1e-2 * nearby], initial=0.0))  # at a kink the gradient does not vanish
    rest, counts = np.unique(still, axis=0, return_counts=True)
    atoms, weights = np.concatenate([minima, rest]), np.concatenate([weights[keep], counts / number])
    return AtomicTarget(atoms, weights, 2.0 * doubt + unknown + away, residual)
