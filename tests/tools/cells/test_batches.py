"""Batches hold about a second of work, every item arrives once, and what a lost process had is done again."""

import itertools

import pytest

from particlegvi.tools.cells import Batch, Done, WorkerLost, compute
from particlegvi.tools.cells.batches import LARGEST, TRIES
from particlegvi.tools.cells.engines import in_process


class Clock:
    """A function of batches that says what each item would take."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.sizes = []

    def __call__(self, batch: Batch) -> Done:
        self.sizes.append(len(batch.items))
        return Done(batch.number, [item * item for item in batch.items], [self.seconds] * len(batch.items))


@pytest.mark.parametrize(("seconds", "size"), [(0.1, 10), (0.3, 3), (2.0, 1), (1e-9, LARGEST)])
def test_a_batch_is_a_second_of_work(seconds, size):
    """Of a generator, which a dropped batch must not close: the rest would need a second round of processes."""
    clock = Clock(seconds)
    found = list(compute(clock, (k for k in range(3000)), in_process, 1))
    assert [item for item, *_ in found] == list(range(3000))
    assert all(result == item * item and spent == seconds for item, result, spent in found)
    assert clock.sizes[0] == 1 and set(clock.sizes[1:-1]) == {size}


def test_the_first_cells_which_take_longer_do_not_decide():
    clock, slow = Clock(0.1), iter([5.0] * 2)

    def function(batch):
        clock.seconds = next(slow, 0.1)
        return clock(batch)

    list(compute(function, range(200), in_process, 1))
    assert clock.sizes[:3] == [1, 1, 1] and clock.sizes[-2] == 10


def test_items_are_taken_when_there_is_room():
    """Not all at once: a hundred thousand cells would fill the memory of the pool."""
    taken = itertools.count()
    next(compute(Clock(1.0), (next(taken) for _ in range(10_000)), in_process, 1))
    assert next(taken) < 5


def test_what_a_lost_process_had_is_done_again():
    """A pool that loses its process at the second batch of each of its first lives."""
    lives = iter([True] * (TRIES - 1))

    def pool(function, tasks, number):
        lost = next(lives, False)
        for tasks_done, task in enumerate(tasks):
            if lost and tasks_done == 1:
                raise WorkerLost("killed")
            yield function(task)

    found = [item for item, *_ in compute(Clock(0.3), range(40), pool, 2)]
    assert sorted(found) == list(range(40))


def test_an_item_that_kills_every_process_ends_the_work():
    def pool(function, tasks, number):
        for task in tasks:
            if 7 in task.items:
                raise WorkerLost("killed")
            yield function(task)

    done = []
    with pytest.raises(WorkerLost, match=f"{TRIES} processes were killed, .* in the same cell"):
        for item, *_ in compute(Clock(0.3), range(40), pool, 1):
            done.append(item)
    assert set(done) >= set(range(7)) and 7 not in done


def test_an_error_of_a_task_and_of_the_caller_end_the_pool():
    closed = []

    def pool(function, tasks, number):
        try:
            yield from map(function, tasks)
        finally:
            closed.append(True)

    def fails(batch):
        raise LookupError("no such thing")

    with pytest.raises(LookupError, match="no such thing"):
        list(compute(fails, range(5), pool, 1))
    results = compute(Clock(1.0), range(5), pool, 1)
    next(results)
    results.close()
    assert closed == [True, True]


def test_no_batch_has_two_settings():
    """Seeds of a setting, eight in a row, in batches of at most three."""
    batches = []

    def function(batch):
        batches.append(batch.items)
        return Done(batch.number, batch.items, [0.3] * len(batch.items))

    list(compute(function, range(8, 48), in_process, 1, together=lambda item: item // 8))
    assert [item for items in batches for item in items] == list(range(8, 48))
    assert [len(items) for items in batches][-6:] == [3, 3, 2] * 2
    assert all(items[-1] // 8 == items[0] // 8 for items in batches)
