"""The rows of each step's batch, from the counter-based noise: functions of the seed and the step alone."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from particlegvi.engine.numerics.compiled import compiled
from particlegvi.engine.numerics.noise import BATCHES_ROLE, key_words, uniform_pair

WAYS = ("epochs", "fresh")
AHEAD = 4096  # rows that are drawn together, at least
Rows: TypeAlias = NDArray[np.int64]


@compiled
def shuffle_part(count, which, key, first, out):
    """For period first + i (an epoch or a step) the first ``count`` places of a random order of the rows, in out[i].

    The orders are shuffles of Fisher and Yates for the particle ``which``, 0 where all particles share them; out
    is (periods, count), and ``first`` a tuple of the first period and the number of all rows.
    """
    period, rows = first
    order = np.arange(rows)
    swapped = np.empty(count, np.int64)
    word = BATCHES_ROLE + np.uint64(which)
    for index in range(out.shape[0]):
        pair = np.uint64(period + index)
        for i in range(count):
            if i % 2 == 0:
                u, v = uniform_pair(np.uint64(i // 2), pair, word, key[0], key[1])
            share = u if i % 2 == 0 else v
            j = i + min(int(share * (rows - i)), rows - i - 1)
            order[i], order[j] = order[j], order[i]
            swapped[i] = j
            out[index, i] = order[i]
        for i in range(count - 1, -1, -1):  # undo the swaps: every period shuffles the order of the data
            j = swapped[i]
            order[i], order[j] = order[j], order[i]


class Batches:
    """The batches of a run: ``size`` rows of the data, or all rows in their order, shared by all particles or not.

    With "epochs" an epoch has every row once, in a new order, with a smaller batch at its end where rows are left. With
    "fresh" rows are drawn anew at every step, without repetition.
    """

    def __init__(self, rows: int, size: int | None = None, drawing: str = "epochs", shared: bool = True) -> None:
        self.rows = rows
        self.size = rows if size is None else size
        self.full = size is None
        self.drawing = drawing
        self.shared = shared
        # seed, particles, first period, and the orders (particles, periods, rows): replaced whole, for other threads
        self._held: tuple[int, int, int, Rows] = (-1, 0, 0, np.zeros((0, 0, 0), dtype=np.int64))

    @property
    def steps_of_epoch(self) -> int:
        """Steps in which every row is seen once; with fresh batches, steps in which that many rows are drawn."""
        return -(-self.rows // self.size)

    def most_steps(self, particles: int) -> int:
        """Steps whose rows may be asked for at once."""
        rows = 1 if self.full else self.size * (1 if self.shared else particles)
        return max(1, 1_000_000 // rows)

    def of(self, seed: int, first_step: int, steps: int, particles: int) -> tuple[Rows, Rows, Rows]:
        """Row numbers (1 or particles, any), and for each of the steps where its batch begins and its size, (steps,).

        There are no row numbers where the batch is all of the data in their order.
        """
        if self.full:
            empty = np.zeros((1, 0), dtype=np.int64)
            return empty, np.zeros(steps, dtype=np.int64), np.full(steps, self.rows, dtype=np.int64)
        period = self.steps_of_epoch if self.drawing == "epochs" else 1
        places = self.rows if self.drawing == "epochs" else self.size
        numbers = np.arange(first_step, first_step + steps)
        first, last = first_step // period, (first_step + steps - 1) // period
        orders, begin = self._drawn(seed, first, last, places, 1 if self.shared else particles)
        within = numbers % period * self.size
        starts = (numbers // period - begin) * places + within
        return orders.reshape(len(orders), -1), starts, np.minimum(self.size, self.rows - within)

    def _drawn(self, seed: int, first: int, last: int, places: int, own: int) -> tuple[Rows, int]:
        """Orders (own, periods, places) of periods that contain first, ..., last; and the number of the first one."""
        known_seed, known_own, begin, orders = self._held
        if (known_seed, known_own) == (seed, own) and begin <= first and last < begin + orders.shape[1]:
            return orders, begin
        ahead = max(1, AHEAD // places)  # single steps do not draw one by one
        begin, end = first // ahead * ahead, (last // ahead + 1) * ahead
        orders = np.empty((own, end - begin, places), dtype=np.int64)
        key = key_words(seed)
        for which in range(own):
            shuffle_part(places, which, key, (begin, self.rows), orders[which])
        self._held = (seed, own, begin, orders)
        return orders, begin
