"""The parts of k(Z, X) for the evidence lower bound, in blocks of rows of X that stay in the processor's cache."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import blas

from particlegvi.contracts import Array
from particlegvi.engine.numerics import threads
from particlegvi.functionspace.covariances.covariance import Covariance, padded

ROWS = 768  # largest number of rows of a block
GROUPS = 8  # largest number of groups of blocks; their sums are added in a fixed order on any number of threads


def projected(L: Array, both: Array) -> tuple[Array, Array]:
    """G = C C^T and c = C y for C = L^-1 k(Z, X); ``both`` (M + 1, n) holds [k(Z, X); y] and becomes [C; y]."""
    M = len(L)
    blas.dtrsm(1.0, L, both[:M].T, side=1, lower=1, trans_a=1, overwrite_b=1)
    return both[:M] @ both[:M].T, both[:M] @ both[M]


class Scratch:
    """Memory for the blocks, reused by all steps of a search: allocating it takes as long as the products of a step."""

    def __init__(self) -> None:
        self.shape: tuple[int, ...] = ()
        self.blocks: list[Array] = []  # (M + 1, columns) each
        self.weights: list[Array] = []  # flat, one for each group

    def fit(self, M: int, columns: int, blocks: int, groups: int) -> None:
        """Allocate the memory, unless it is already large enough."""
        if self.shape != (M, columns, blocks, groups):
            self.shape = (M, columns, blocks, groups)
            self.blocks = [np.empty((M + 1, columns)) for _ in range(blocks)]
            self.weights = [np.empty((M, columns)) for _ in range(groups)]


class Blocks:
    """The rows of X in blocks, and the blocks in groups that are computed in parallel."""

    def __init__(self, k: Covariance, Z: Array, X: Array, y: Array, scratch: Scratch) -> None:
        self.k, self.Z, self.y, self.scratch = k, Z, y, scratch
        count = -(-len(X) // ROWS)
        size = -(-len(X) // count)
        self.parts = [slice(first, first + size) for first in range(0, len(X), size)]
        self.groups = np.array_split(np.arange(len(self.parts)), min(GROUPS, len(self.parts)))
        scratch.fit(len(Z), padded(size), len(self.parts), len(self.groups))
        self.between = [k.between(Z, X[part], padded(size)) for part in self.parts]

    def forward(self, L: Array) -> tuple[Array, Array]:
        """The result of `projected`, for all rows."""
        M = len(L)
        G, c = np.zeros((len(self.groups), M, M)), np.zeros((len(self.groups), M))

        def work(group: int, number: int) -> None:
            both, y = self.scratch.blocks[number], self.y[self.parts[number]]
            self.between[number].fill(both[:M])
            both[M, : len(y)], both[M, len(y) :] = y, 0.0
            square, product = projected(L, both)
            G[group] += square
            c[group] += product

        self._each(work)
        return G.sum(axis=0), c.sum(axis=0)

    def backward(self, back: Array) -> tuple[Array, Array]:
        """The gradients in Z and in the log parameters; the gradient in k(Z, X) is back (M, M + 1) @ [C; y]."""
        in_points = np.zeros((len(self.groups), *self.Z.shape))
        in_logs = np.zeros((len(self.groups), len(self.k.log_parameters())))

        def work(group: int, number: int) -> None:
            weights = np.matmul(back, self.scratch.blocks[number], out=self.scratch.weights[group])
            of_points, of_logs = self.between[number].gradients(weights)
            in_points[group] += of_points
            in_logs[group] += of_logs

        self._each(work)
        return in_points.sum(axis=0), in_logs.sum(axis=0)

    def _each(self, work: Callable[[int, int], None]) -> None:
        """``work(group, number)`` for every block, in order within a group."""

        def several(first: int, last: int) -> None:
            for group in range(first, last):
                for number in self.groups[group]:
                    work(group, number)

        threads.split(several, len(self.groups))
