"""The noise of many steps ahead, made by one thread while another takes the steps before."""

from __future__ import annotations

from collections.abc import Iterator

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
        # The block in use and the one after: their normals, and what waits for them where that has to be waited for.
        self._blocks: dict[tuple[int, int], tuple[np.ndarray, threads.Work | None]] = {}

    def pieces(self, particles: int, first_step: int, steps: int) -> Iterator[tuple[int, int, np.ndarray]]:
        """(step, number of steps, normals (steps, particles padded to GROUP) from an even step, this or before, on)."""
        padded = -(-particles // GROUP) * GROUP
        if not self.noise:
            yield first_step, steps, np.zeros((1, padded))
            return
        length = max(2, NUMBERS // padded // 2 * 2)
        step, end = first_step, first_step + steps
        while step < end:
            number, begun = divmod(step, length)
            count = min(end - step, length - begun)
            yield step, count, self._block(number, length // 2, padded)[begun // 2 * 2 :]
            step += count

    def _block(self, number: int, pairs: int, padded: int) -> np.ndarray:
        """The normals (steps, padded) of a block; with a second thread the next one is begun."""
        before = self._blocks
        self._blocks = {}
        for wanted in (number, number + 1) if threads.count() > 1 else (number,):
            known = before.get((wanted, padded))
            self._blocks[wanted, padded] = known or self._begun(wanted, pairs, padded)
        normals, wait = self._blocks[number, padded]
        if wait is not None:
            wait()
            self._blocks[number, padded] = normals, None
        return normals.reshape(-1, padded)

    def _begun(self, number: int, pairs: int, padded: int) -> tuple[np.ndarray, threads.Work]:
        normals = np.empty((pairs + self.two, 2, padded))
        first = number * pairs
        return normals, threads.begin(lambda: noise_part(normals, first, NOISE_ROLE, 1, 0, len(normals), self.key))
