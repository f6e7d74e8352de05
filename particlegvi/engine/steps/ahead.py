"""The noise of many steps ahead, made by one thread while another takes the steps before."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.noise import NOISE_ROLE, noise_part
from particlegvi.engine.pairs.series import GROUP

NUMBERS = 2**17  # normals of a piece at most: 1 MB, which passes from one processor to the other in a shared cache
FIRST = 64  # steps of the first piece; the next ones double, so that an early end wastes little


class Piece(NamedTuple):
    """Normals of consecutive steps."""

    step: int
    steps: int
    normals: np.ndarray
    turn: int  # the buffer that they lie in
    ready: threads.Work  # waits for them


def _nothing() -> None:
    """There is nothing to wait for."""


class NoiseAhead:
    """Normals of consecutive steps on the line, piece by piece.

    With a second thread the piece after the last asked for is begun as well: steps are often asked for in short groups,
    one after the other, with jumps or records between them.

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
        self._held: Piece | None = None  # begun for the steps after the last call

    def pieces(self, particles: int, first_step: int, steps: int) -> Iterator[tuple[int, int, np.ndarray]]:
        """(step, number of steps, normals (pairs, 2, particles padded to GROUP) from the pair of the step on)."""
        padded = -(-particles // GROUP) * GROUP
        end = first_step + steps
        if not self.noise:
            yield first_step, steps, np.zeros((1, 2, padded))
            return
        longest = max(2, NUMBERS // padded)
        piece = self._taken_up(first_step, padded) or self._first(first_step, min(self._size, longest, steps), padded)
        try:
            while True:
                piece.ready()
                used, following = min(piece.steps, end - piece.step), piece.step + piece.steps
                after: Piece | None = None
                if following < end or (used == piece.steps and threads.count() > 1):
                    self._size = min(2 * max(piece.steps, self._size // 2), longest)
                    count = min(self._size, end - following) if following < end else self._size
                    after = self._begun(following, count, padded, 1 - piece.turn)
                self._held = after
                yield piece.step, used, piece.normals
                if following >= end:
                    break
                assert after is not None
                piece, self._held = after, None
            if used < piece.steps:  # the rest of this piece
                normals = piece.normals[end // 2 - piece.step // 2 :]
                self._held = piece._replace(step=end, steps=piece.steps - used, normals=normals, ready=_nothing)
        except GeneratorExit:  # the steps broke off
            self._size = FIRST
            self._dropped()
            raise

    def _taken_up(self, step: int, padded: int) -> Piece | None:
        """The piece that was begun before if it is for these steps and particles, otherwise None."""
        held = self._held
        if held is None or (held.step, held.normals.shape[2]) != (step, padded):
            self._dropped()
            return None
        self._held = None
        return held

    def _dropped(self) -> None:
        if self._held is not None:
            self._held.ready()  # no thread may still write to a buffer that is used again
            self._held = None

    def _first(self, step: int, count: int, padded: int) -> Piece:
        normals = self._space(0, step, count, padded)
        pair, key, least = step // 2, self.key, -(-20_000 // padded)
        threads.split(lambda a, b: noise_part(normals, pair, NOISE_ROLE, 1, a, b, key), len(normals), least=least)
        return Piece(step, count, normals, 0, _nothing)

    def _begun(self, step: int, count: int, padded: int, turn: int) -> Piece:
        normals, key = self._space(turn, step, count, padded), self.key
        work = partial(noise_part, normals, step // 2, NOISE_ROLE, 1, 0, len(normals), key)
        return Piece(step, count, normals, turn, threads.begin(work))

    def _space(self, turn: int, step: int, count: int, padded: int) -> np.ndarray:
        """Room for the normals of ``count`` steps."""
        pairs = (step + count - (0 if self.two else 1)) // 2 - step // 2 + 1
        numbers = pairs * 2 * padded
        if self._buffers[turn].size < numbers:
            self._buffers[turn] = np.empty(numbers)
        return self._buffers[turn][:numbers].reshape(pairs, 2, padded)
