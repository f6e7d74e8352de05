"""Repulsion by the direct sum over pairs within reach: for wide clouds, in up to three dimensions.

Kernels that decay leave out pairs beyond the distance at which a pair's force falls below half the tolerance.
Particles are sorted into cells whose side is that reach, so a particle's partners lie in its own and the neighbouring
cells.
"""

from __future__ import annotations

import itertools

import numpy as np

from particlegvi.contracts import Array, Kernel
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.compiled import compiled
from particlegvi.engine.pairs.algorithm import CALL, Algorithm, pair_cost
from particlegvi.engine.pairs.direct import LANES, add_sources, load_targets, store_sums
from particlegvi.engine.terms.evaluate import profile_slopes

FARTHEST_CELL = 2**20  # per coordinate, so that three cell numbers fit into one integer
MOST_REACH = 60.0  # lengthscales; a kernel with a longer reach is summed by another algorithm


def kernel_reach(kernel: Kernel, tolerance: float) -> float | None:
    """Distance beyond which a pair's force stays below tolerance / 2 (in units of variance / lengthscale), or None."""
    distance = np.linspace(0.0, MOST_REACH * kernel.lengthscale, 6001)
    force = 2.0 * distance * np.abs(profile_slopes(kernel, distance**2)) * kernel.lengthscale / kernel.variance
    loud = np.flatnonzero(force > 0.5 * tolerance)
    if loud.size == 0 or loud[-1] >= distance.size - 1:
        return None
    return float(distance[loud[-1] + 1])


class Cells:
    """Particles sorted into cells of side ``reach``, and the neighbours of each occupied cell."""

    def __init__(self, positions: Array, reach: float):
        dim = positions.shape[1]
        number = np.floor((positions - positions.min(axis=0)) / reach)
        self.usable = bool(np.all(np.isfinite(number)) and number.max() < FARTHEST_CELL - 2)
        if not self.usable:
            return
        keys = np.zeros(positions.shape[0], dtype=np.int64)
        steps = []
        for coordinate in range(dim):
            steps.append(FARTHEST_CELL**coordinate)
            keys += (number[:, coordinate].astype(np.int64) + 1) * steps[-1]
        self.order = np.argsort(keys, kind="stable")
        self.used, self.starts = np.unique(keys[self.order], return_index=True)
        self.starts = np.append(self.starts, positions.shape[0])
        moves = np.array([np.dot(move, steps) for move in itertools.product((-1, 0, 1), repeat=dim)], dtype=np.int64)
        wanted = self.used[:, None] + moves
        place = np.minimum(np.searchsorted(self.used, wanted), self.used.size - 1)
        self.neighbours = np.where(self.used[place] == wanted, place, -1)

    def pairs(self) -> int:
        """Number of pairs that the sum would visit."""
        counts = np.diff(self.starts)
        beside = np.where(self.neighbours >= 0, counts[self.neighbours], 0).sum(axis=1)
        return int(np.dot(counts, beside))


@compiled
def near_part(kernel, x, starts, neighbours, first, last, factor, out):
    """`direct_part` for the particles of cells first..last-1, sources in neighbouring cells only; x is sorted."""
    dim = x.shape[1]
    targets = np.empty(dim * LANES)
    sums = np.empty(dim * LANES)
    scratch = np.empty((dim + 1) * LANES)
    for cell in range(first, last):
        for start in range(starts[cell], starts[cell + 1], LANES):
            count = min(LANES, starts[cell + 1] - start)
            load_targets(x, start, count, targets, sums)
            for beside in range(neighbours.shape[1]):
                other = neighbours[cell, beside]
                if other >= 0:
                    add_sources(kernel, x, starts[other], starts[other + 1], targets, sums, scratch)
            store_sums(sums, start, count, factor, out)


class Near(Algorithm[Cells]):
    """Pairs within reach, for kernels that decay and clouds much wider than the reach."""

    name = "direct sum within reach"

    def __init__(self, kernel: Kernel, dim: int, tolerance: float):
        super().__init__(kernel, dim, tolerance)
        self.reach = kernel_reach(kernel, tolerance)

    def estimate(self, positions: Array) -> tuple[float, Cells] | None:
        if self.reach is None or np.ptp(positions, axis=0).max() < 4.0 * self.reach:
            return None
        cells = Cells(positions, self.reach)
        if not cells.usable:
            return None
        # blocks of lanes are partly empty where cells hold few particles
        visits = cells.pairs() + LANES * cells.neighbours.size
        return visits * 1.5 * pair_cost(self.dim) + 150.0 * positions.shape[0] + 5.0 * CALL, cells

    def force(self, positions: Array, prepared: Cells, factor: float, out: Array) -> None:
        kernel, cells, scale = self.kernel, prepared, factor / positions.shape[0]
        x = np.ascontiguousarray(positions[cells.order])
        found = np.empty_like(x)
        part = near_part.for_terms(kernel)
        threads.split(
            lambda a, b: part(kernel, x, cells.starts, cells.neighbours, a, b, scale, found), cells.used.size, least=8
        )
        out[cells.order] = found
