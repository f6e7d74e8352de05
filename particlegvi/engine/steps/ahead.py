"""The noise of many steps ahead, made by one thread while another takes the steps before."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.noise import NOISE_ROLE, noise_part
from particlegvi.engine.pairs.series import GROUP

NUMBERS = 2**17  # normals of a piece at most: 1 MB, which passes from one processor to the other in a shared cache
FIRST = 64  # steps of the first piece; each is twice as long as the one before, in case they lead nowhere


class NoiseAhead:
    """Normals of consecutive steps on the line, piece by piece.

    Parameters
    ----------
    key : tuple
        The two words of the Philox key.
    noise : bool
        Whether the steps use any; if not, the normals are zeros.
    two : bool
        Whether a step also uses the noise of the next one.
    """

    def __init__(self, key: tuple[np.uint64, np.uint64], noise: bool, two: bool):
        self.key, self.noise, self.two = key, noise, two
        self._size = FIRST
        self._buffers = [np.empty(0), np.empty(0)]

    def pieces(self, particles: int, first_step: int, steps: int) -> Iterator[tuple[int, int, np.ndarray]]:
        """(step, number of steps, normals (pairs, 2, particles padded to GROUP) from the pair of that step on)."""
        padded = -(-particles // GROUP) * GROUP
        end = first_step + steps
        if not self.noise:
            yield first_step, steps, np.zeros((1, 2, padded))
            return
        longest = max(2, NUMBERS // padded)
        count = min(self._size, longest, steps)
        normals = self._space(0, first_step, count, padded)
        pair, key = first_step // 2, self.key
        least = -(-20_000 // padded)
        threads.split(lambda a, b: noise_part(normals, pair, NOISE_ROLE, 1, a, b, key), len(normals), least=least)
        step, turn = first_step, 0
        try:
            while step + count < end:
                following = step + count
                self._size = min(2 * max(count, self._size // 2), longest)
                next_count = min(self._size, end - following)
                turn = 1 - turn
                next_normals = self._space(turn, following, next_count, padded)
                wait = threads.begin(self._maker(next_normals, following // 2))
                try:
                    yield step, count, normals
                finally:
                    wait()
                step, count, normals = following, next_count, next_normals
            yield step, count, normals
        except GeneratorExit:  # the steps broke off
            self._size = FIRST
            raise

    def _space(self, turn: int, step: int, count: int, padded: int) -> np.ndarray:
        """Room for the normals of ``count`` steps."""
        pairs = (step + count - (0 if self.two else 1)) // 2 - step // 2 + 1
        numbers = pairs * 2 * padded
        if self._buffers[turn].size < numbers:
            self._buffers[turn] = np.empty(numbers)
        return self._buffers[turn][:numbers].reshape(pairs, 2, padded)

    def _maker(self, normals: np.ndarray, pair: int) -> threads.Work:
        key = self.key
        return lambda: noise_part(normals, pair, NOISE_ROLE, 1, 0, len(normals), key)
