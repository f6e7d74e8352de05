"""The stepping loop for particles and for functions: chunks short enough for Ctrl-C, snapshots between them."""

from __future__ import annotations

import time
from collections.abc import Callable

from particlegvi.contracts import Moving, Snapshot, Storage

CHUNK_SECONDS = 0.1  # Ctrl-C is not delivered inside compiled code


class Chunks:
    """Takes steps of a flow in chunks.

    The storage notes the step before each chunk, and stores a snapshot when one is due. The last snapshot is ``good``,
    at first the one to continue from if the first chunk is interrupted. It is replaced in one assignment between
    chunks, so that it is valid whenever Ctrl-C comes.
    """

    def __init__(self, storage: Storage, good: Snapshot) -> None:
        self.storage = storage
        self.good = good
        self._size = 1

    def advance(
        self,
        flow: Moving,
        first: int,
        last: int,
        snapshot: Callable[[int], Snapshot],
        after: Callable[[int, int], None],
    ) -> None:
        """Take steps first, ..., last - 1.

        ``snapshot(step)`` returns the snapshot before step number ``step``. ``after(step, count)`` is called after
        ``count`` steps from ``step`` on; an exception in it ends the loop.
        """
        step = first
        while step < last:
            self.good = snapshot(step)
            self.save_when_due()
            count = min(self._size, last - step)
            begun = time.perf_counter()
            flow.advance(step, count)
            self._size = next_size(self._size, count, time.perf_counter() - begun)
            after(step, count)
            step += count

    def save_when_due(self) -> None:
        """Store the snapshot if one is due."""
        if self.storage.is_due():
            self.storage.save(self.good)


def next_size(size: int, count: int, spent: float) -> int:
    """Number of steps of the next chunk, if ``count`` of the ``size`` planned took ``spent`` seconds."""
    if count < size and spent <= CHUNK_SECONDS:
        return size
    # Grow at most eightfold: the time of the first call includes compiling.
    return max(1, int(min(count * CHUNK_SECONDS / max(spent, 1e-7), 8.0 * size)))
