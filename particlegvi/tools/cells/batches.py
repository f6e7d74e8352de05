"""Handing out many small cells in batches of about a second, and again where a process was lost."""

from __future__ import annotations

import statistics
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator
from itertools import groupby, islice
from typing import Generic, NamedTuple, TypeVar

from particlegvi.tools.cells.engines import Engine, WorkerLost
from particlegvi.tools.cells.sending import sent

Item = TypeVar("Item", bound=Hashable)
Result = TypeVar("Result")

SECONDS = 1.0  # work in a batch; a killed process loses at most this
LARGEST = 500  # cells in a batch, however little each takes
MEASURED = 20  # the last cells, whose times size the next batch: the first cells of a process take longer
TRIES = 4  # the work ends after one cell has lost this many processes


class Batch(NamedTuple, Generic[Item]):
    """One task of an engine."""

    number: int
    items: list[Item]

    def done(self, compute: Callable[[Item], Result]) -> Done[Result]:
        """The results of the items, one after the other, with their times."""
        results, seconds = [], []
        for item in self.items:
            begun = time.perf_counter()
            results.append(compute(item))
            seconds.append(time.perf_counter() - begun)
        return Done(self.number, results, seconds)


class Done(NamedTuple, Generic[Result]):
    """The results of a batch in the order of its items, and the seconds that each took."""

    number: int
    results: list[Result]
    seconds: list[float]


Function = Callable[[Batch[Item]], Done[Result]]


def compute(
    function: Function[Item, Result],
    items: Iterable[Item],
    pool: Engine,
    workers: int,
    seconds: float = SECONDS,
    together: Callable[[Item], object] = lambda item: None,
) -> Generator[tuple[Item, Result, float], None, None]:
    """Yield each item with its result and the seconds that it took, in the order of completion.

    The function computes a batch; it can be pickled, and so can items and results. An item is taken when the engine has
    room for it. A batch holds consecutive items with equal keys ``together(item)``, and work for about so many
    ``seconds``, estimated from the cells before; with 0 each item is a batch.

    `WorkerLost` is raised if four processes were lost with one and the same item. After fewer losses the batches under
    way are computed again.
    """
    batches: CellBatches[Item, Result] = CellBatches(items, seconds, together)
    while True:
        results = pool(sent(function), batches, workers)
        try:
            for done in results:
                yield from batches.take(done)
            return
        except WorkerLost:
            batches.take_back()
        finally:
            if isinstance(results, Generator):
                results.close()  # also ends the processes after an exception of the caller


class CellBatches(Generic[Item, Result]):
    """The iterator of batches that an engine takes its tasks from. It knows which batches are under way."""

    def __init__(self, items: Iterable[Item], seconds: float, together: Callable[[Item], object]) -> None:
        self._fresh = self._cut(items, together)
        self._again: deque[Item] = deque()
        self._seconds = seconds
        self._measured: deque[float] = deque(maxlen=MEASURED)
        self._under_way: dict[int, list[Item]] = {}
        self._lost: Counter[Item] = Counter()
        self._in_vain = 0  # processes lost since the last batch that came back
        self._number = 0

    def __iter__(self) -> Iterator[Batch[Item]]:
        return self

    def __next__(self) -> Batch[Item]:
        """The next batch. A lost batch is cut into single cells: one that kills its process then loses no others."""
        chosen = [self._again.popleft()] if self._again else next(self._fresh)
        self._number += 1
        self._under_way[self._number] = chosen
        return Batch(self._number, chosen)

    def _cut(self, items: Iterable[Item], together: Callable[[Item], object]) -> Iterator[list[Item]]:
        for _, alike in groupby(items, together):
            while chosen := list(islice(alike, self._size())):
                yield chosen

    def _size(self) -> int:
        if not self._measured:
            return 1
        median = statistics.median(self._measured)
        return LARGEST if median * LARGEST <= self._seconds else max(1, round(self._seconds / median))

    def take(self, done: Done[Result]) -> Iterator[tuple[Item, Result, float]]:
        """The items of a batch that came back, with their results and seconds."""
        self._in_vain = 0
        items = self._under_way.pop(done.number)
        self._measured.extend(done.seconds)
        yield from zip(items, done.results, done.seconds, strict=True)

    def take_back(self) -> None:
        """Put the batches under way back; raise `WorkerLost` where processes were lost too often."""
        for items in self._under_way.values():
            self._lost.update(items)
            self._again.extend(items)
        self._under_way = {}
        self._in_vain += 1
        if self._in_vain >= TRIES or (self._lost and max(self._lost.values()) >= TRIES):
            raise WorkerLost(f"{TRIES} processes were killed, or ended for lack of memory, in the same cell")
