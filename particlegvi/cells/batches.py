"""Handing out many small cells in batches of about a second, and again where a process was lost."""

from __future__ import annotations

import statistics
from collections import Counter, deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

from particlegvi.tools.workers import LazyPool, WorkerLost

Item = TypeVar("Item", bound=Hashable)
Result = TypeVar("Result")

SECONDS = 1.0  # of work in a batch: as much as a killed process loses
LARGEST = 500  # cells in a batch, however little each takes
STRETCH = 3.0  # times as long may a batch be that keeps together what shares work
MEASURED = 20  # the last cells whose times decide about the next batch: the first in a process take longer than others
TRIES = 4  # processes that may be lost with one and the same cell


class Batch(NamedTuple, Generic[Item]):
    """One task of a pool."""

    number: int
    items: list[Item]


class Done(NamedTuple, Generic[Result]):
    """The results of a batch in the order of its items, and the seconds that each took."""

    number: int
    results: list[Result]
    seconds: list[float]


Function = Callable[[Batch[Item]], Done[Result]]


def compute(
    function: Function[Item, Result],
    items: Iterable[Item],
    pool: LazyPool,
    workers: int,
    seconds: float = SECONDS,
    together: Callable[[Item], object] = id,
) -> Generator[tuple[Item, Result, float], None, None]:
    """Yield each item with its result and the seconds that it took, in the order of completion.

    Parameters
    ----------
    function : callable
        Computes a batch; it can be pickled, and so can items and results.
    items : iterable
        Taken from when they are needed.
    pool : LazyPool
    workers : int
        Given to the pool.
    seconds : float
        The work that a batch holds, as far as the cells before tell.
    together : callable
        What items have in common that share some work. Such items, one after the other, come into one batch, also where
        that is up to three times as long.

    Raises
    ------
    WorkerLost
        If a fourth process was lost that had one and the same item. Where fewer were, the batches under way are
        computed again.
    """
    desk: _Desk[Item, Result] = _Desk(items, seconds, together)
    while True:
        results = pool(function, desk, workers)
        try:
            for done in results:
                yield from desk.take(done)
            return
        except WorkerLost:
            desk.take_back()
        finally:
            if isinstance(results, Generator):
                results.close()  # ends its processes also where an exception came from the caller


class _Desk(Generic[Item, Result]):
    """The iterator of batches that a pool takes its tasks from, which knows what is under way."""

    def __init__(self, items: Iterable[Item], seconds: float, together: Callable[[Item], object]) -> None:
        self._items = iter(items)
        self._together = together
        self._again: deque[Item] = deque()
        self._seen: deque[Item] = deque()
        self._seconds = seconds
        self._measured: deque[float] = deque(maxlen=MEASURED)
        self._under_way: dict[int, list[Item]] = {}
        self._lost: Counter[Item] = Counter()
        self._in_vain = 0  # processes lost since the last batch that came back
        self._number = 0

    def __iter__(self) -> Iterator[Batch[Item]]:
        return self

    def __next__(self) -> Batch[Item]:
        """The next batch; one that was lost is cut into single cells, so that a cell that kills loses no others."""
        if self._again:
            chosen = [self._again.popleft()]
        else:
            chosen = list(islice(self._rest(), self._size()))
            chosen += self._relatives(chosen)
        if not chosen:
            raise StopIteration
        self._number += 1
        self._under_way[self._number] = chosen
        return Batch(self._number, chosen)

    def _size(self) -> int:
        if not self._measured:
            return 1
        each = statistics.median(self._measured)
        return LARGEST if each * LARGEST <= self._seconds else max(1, round(self._seconds / each))

    def _relatives(self, chosen: list[Item]) -> Iterator[Item]:
        """More items of the same sort as the last one, as long as the batch stays short enough."""
        each = statistics.median(self._measured) if self._measured else self._seconds
        sort = self._together(chosen[-1]) if chosen else None
        for place, item in enumerate(self._rest(), len(chosen) + 1):
            if place * each > STRETCH * self._seconds or place > LARGEST or self._together(item) != sort:
                self._seen.append(item)
                return
            yield item

    def _rest(self) -> Iterator[Item]:
        """The items that were looked at and not taken, and the others."""
        while self._seen:
            yield self._seen.popleft()
        yield from self._items

    def take(self, done: Done[Result]) -> Iterator[tuple[Item, Result, float]]:
        self._in_vain = 0
        items = self._under_way.pop(done.number)
        self._measured.extend(done.seconds)
        yield from zip(items, done.results, done.seconds, strict=True)

    def take_back(self) -> None:
        """Put what was under way back; the error of the process that was lost where that happened too often."""
        for items in self._under_way.values():
            self._lost.update(items)
            self._again.extend(items)
        self._under_way = {}
        self._in_vain += 1
        if self._in_vain >= TRIES or (self._lost and max(self._lost.values()) >= TRIES):
            raise WorkerLost(f"{TRIES} processes were killed, or ended for lack of memory, in the same cell")
