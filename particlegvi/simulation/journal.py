"""Stored results and progress of a fit, so that an interrupted fit continues and repeats no finished work."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Self

import numpy as np

from particlegvi.contracts import Array, Facts, Moving, Snapshot, Storage
from particlegvi.simulation.storage import ChunkedSteps, MemoryStorage


class Journal:
    """Records the progress of a fit in a storage of snapshots. Use it as a context: Ctrl-C inside leaves a snapshot.

    A fit calls `once` for each computation before and between its steps, and `advance` for the steps. To continue an
    interrupted fit, run the same program from its first line: `once` then returns stored results, and `advance` skips
    the steps that are done.

    Without a storage the snapshots are kept in memory. They have no records. A snapshot's ``constants`` are the arrays
    that `once` has computed; its ``facts`` hold its other results, and the name of the current part of the fit: ""
    before the first step.
    """

    def __init__(self, storage: Storage | None) -> None:
        storage = MemoryStorage() if storage is None else storage
        self._constants: dict[str, np.ndarray] = {}
        self._told: dict[str, list[Any]] = {}
        self._found = storage.start(0, ())
        if self._found is not None:
            self._constants.update({name: _fixed(each) for name, each in self._found.constants.items()})
            self._told.update(self._found.facts["told"])
        self._chunks = ChunkedSteps(storage, self._found or self._snapshot(0, np.empty(0)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        good = self._chunks.good
        if kind is not None and issubclass(kind, KeyboardInterrupt) and good.constants:
            self._chunks.storage.save(good)

    def once(self, name: str, make: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
        """Return ``make()``, computed once per fit and stored in the checkpoint under ``name``.

        The result may hold float64 arrays and values that JSON can hold. After an interruption the stored result is
        returned. Its arrays are read-only and keep their memory order, which decides the last bits of products.
        """
        if name not in self._told:
            told, arrays = [], []
            for each in make():
                if isinstance(each, np.ndarray):
                    columns = each.flags.f_contiguous and not each.flags.c_contiguous
                    arrays.append(np.ravel(each, order="F" if columns else "C"))
                    each = {"shape": each.shape, "order": "F" if columns else "C"}
                told.append(each)
            if arrays:
                self._constants[name] = _fixed(np.concatenate(arrays))
            self._told[name] = told
            if self._chunks.good.step == 0:
                self._chunks.good = self._snapshot(0, np.empty(0))
                self._chunks.save_when_due()
        return tuple(self._given(name))

    def _given(self, name: str) -> Iterator[Any]:
        begin = 0
        for each in self._told[name]:
            if isinstance(each, dict) and set(each) == {"shape", "order"}:
                end = begin + math.prod(each["shape"])
                yield self._constants[name][begin:end].reshape(each["shape"], order=each["order"])
                begin = end
            else:
                yield each

    def interrupted(self, part: str) -> Facts | None:
        """The ``step`` at which this part of the fit was interrupted, and `advance`'s ``known``; otherwise None."""
        found = self._found
        if found is None or found.facts["part"] != part:
            return None
        return {**found.facts["known"], "step": found.facts["at"]}

    def take_up(self, part: str, flow: Moving) -> None:
        """Restore a flow from the interrupted fit if the fit stopped in this part; only the first call restores."""
        found = self._found
        if found is not None and found.facts["part"] == part:
            self._found = None
            if found.state.shape != flow.state.shape:
                raise ValueError(f"the checkpoint has particles {found.state.shape}; {flow.state.shape} are needed")
            flow.restore(found.state, found.facts["flow"])

    def advance(
        self,
        part: str,
        flow: Moving,
        first: int,
        last: int,
        *,
        before: int = 0,
        known: Facts | None = None,
        hear: Callable[[int], None] | None = None,
    ) -> None:
        """Take steps first, ..., last - 1 of a part of the fit, in chunks short enough for Ctrl-C.

        Other parts have taken so many steps ``before``. Further entries of the result of `interrupted`, as JSON can
        hold them, are ``known``. After each chunk ``hear`` is called with the next step.
        """

        def snapshot(step: int) -> Snapshot:
            if before + step == 0:
                return self._chunks.good
            where = {"at": step, "flow": flow.extra_state(), "known": known or {}}
            return self._snapshot(before + step, flow.state.copy(), part, where)

        def after(step: int, count: int) -> None:
            if hear is not None:
                hear(step + count)

        self._chunks.advance(flow, first, last, snapshot, after)

    def _snapshot(self, step: int, state: Array, part: str = "", where: Facts | None = None) -> Snapshot:
        facts = {"part": part, "told": dict(self._told), **(where or {})}
        return Snapshot(step, state, {}, facts, 0, dict(self._constants))


def _fixed(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array
