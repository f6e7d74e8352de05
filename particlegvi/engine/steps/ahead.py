"""The noise of many steps ahead, made by one thread while another takes the steps before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.noise import NOISE_ROLE, noise_part
from particlegvi.engine.pairs.fourier_tiles import GROUP

NUMBERS = 2**17  # normals of a block at most: 1 MB, which passes from one processor to the other in a shared cache


class NoiseAhead:
    """Normals of the steps on the line, in blocks that begin at multiples of their number of steps.

    With a second thread the block after the one in use is begun as well: steps are often asked for in short groups, one
    after the other, with jumps or records between them. If the steps use no noise, the normals are zeros; with ``two``
    a step also uses the noise of the next one.
    """

    def __init__(self, key: tuple[np.uint64, np.uint64], noise: bool, two: bool):
        self.key, self.noise, self.two = key, noise, two
        # The block of an even number and the block of an odd one, their numbers, and the work that is under way.
        self._blocks, self._numbers = [np.empty((0, 2, 0)), np.empty((0, 2, 0))], [-1, -1]
        self._working: dict[int, threads.Work] = {}

    def pieces(self, particles: int, first_step: int, steps: int) -> Iterator[tuple[int, int, np.ndarray]]:
        """(step, number of steps, normals (pairs, 2, particles padded to GROUP) from the pair of the step on)."""
        padded = -(-particles // GROUP) * GROUP
        if not self.noise:
            yield first_step, steps, np.zeros((1, 2, padded))
            return
        length = max(2, NUMBERS // padded // 2 * 2)
        step, end = first_step, first_step + steps
        while step < end:
            number, begun = divmod(step, length)
            count = min(end - step, length - begun)
            yield step, count, self._block(number, (length // 2 + self.two, 2, padded))[begun // 2 :]
            step += count

    def _block(self, number: int, shape: tuple[int, int, int]) -> np.ndarray:
        """The normals of a block; with a second thread the next one is begun."""
        if not self._has(number, shape):
            threads.split(self._filling(number, shape), shape[0], least=-(-20_000 // shape[2]))
            self._numbers[number % 2] = number
        self._wait(number % 2)
        after = number + 1
        if threads.count() > 1 and not self._has(after, shape):
            self._working[after % 2] = threads.begin(partial(self._filling(after, shape), 0, shape[0]))
            self._numbers[after % 2] = after
        return self._blocks[number % 2]

    def _has(self, number: int, shape: tuple[int, int, int]) -> bool:
        return self._numbers[number % 2] == number and self._blocks[number % 2].shape == shape

    def _filling(self, number: int, shape: tuple[int, int, int]) -> Callable[[int, int], None]:
        """Make room for a block; the result fills its rows first, ..., last - 1."""
        place = number % 2
        self._wait(place)  # no thread may still write to a block that is filled again
        self._numbers[place] = -1
        if self._blocks[place].shape != shape:
            self._blocks[place] = np.empty(shape)
        normals, pair, key = self._blocks[place], number * (shape[0] - self.two), self.key
        return lambda first, last: noise_part(normals, pair, NOISE_ROLE, 1, first, last, key)

    def _wait(self, place: int) -> None:
        if place in self._working:
            self._working[place]()
            del self._working[place]
