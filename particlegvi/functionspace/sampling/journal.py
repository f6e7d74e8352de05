"""What a fit has found out and how far it is, so that a fit that was interrupted goes on and repeats nothing."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Protocol, Self

import numpy as np

from particlegvi.functionspace.checks import Array
from particlegvi.simulation.loop import next_size
from particlegvi.simulation.storage import Keeper, Snapshot


class Moving(Protocol):
    """What takes steps: a flow, which repeats itself exactly from `kept` and the step number."""

    @property
    def state(self) -> Array:
        """What moves."""

    def advance(self, first_step: int, steps: int) -> None:
        """Take steps first_step, ..., first_step + steps - 1. How steps are grouped changes no bit."""

    def kept(self) -> dict[str, Any]:
        """What there is to know beside the state, as JSON can hold it."""

    def restore(self, state: Array, kept: dict[str, Any]) -> None:
        """Be as a flow was that had this state and said that."""


class Journal:
    """Between a fit and the keeper of its snapshots. Use it as a context: Ctrl-C within it leaves a snapshot.

    A fit is a program that calls `once` for what is found out before and between its steps, and `advance` for the
    steps. To go on, the same program runs from its first line: what was found out is given back, steps that were taken
    are not taken again.

    Parameters
    ----------
    keeper : Keeper
        Its snapshots have no records. A snapshot's ``constants`` are the arrays that were found out; its ``facts`` what
        else was, and which part of the fit was under way: "" before the first step of all.
    """

    def __init__(self, keeper: Keeper) -> None:
        self.keeper = keeper
        self._constants: dict[str, np.ndarray] = {}
        self._told: dict[str, list[Any]] = {}
        self._size = 1
        self._found = keeper.begin(0, ())
        if self._found is not None:
            self._constants.update({name: _fixed(each) for name, each in self._found.constants.items()})
            self._told.update(self._found.facts["told"])
        self._good = self._found or self._snapshot(0, np.empty(0))  # what to go on from after Ctrl-C

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        if kind is not None and issubclass(kind, KeyboardInterrupt) and self._good.constants:
            self.keeper.save(self._good)

    def once(self, name: str, make: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
        """What ``make`` gives, or gave before the fit was interrupted: float64 arrays, and what JSON can hold.

        The arrays are read-only, and in memory as they were made: on that depend the last bits of products with them.
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
            if self._good.step == 0:
                self._good = self._snapshot(0, np.empty(0))
                self._keep_when_due()
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

    def interrupted(self, part: str) -> dict[str, Any] | None:
        """The ``step`` of this part of the fit at which it was interrupted, and what `advance` was told; or None."""
        found = self._found
        if found is None or found.facts["part"] != part:
            return None
        return {**found.facts["known"], "step": found.facts["at"]}

    def take_up(self, part: str, flow: Moving) -> None:
        """Put a flow where the interrupted fit had it, if that was in this part of it; only once."""
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
        before: int = 0,
        known: dict[str, Any] | None = None,
        hear: Callable[[int], None] | None = None,
    ) -> None:
        """Take steps first, ..., last - 1 of a part of the fit, in chunks short enough for Ctrl-C.

        Parameters
        ----------
        part : str
            Its name.
        before : int
            Steps that other parts have taken.
        known : dict, optional
            What else `interrupted` is to give back, as JSON can hold it.
        hear : function, optional
            Called with the next step after each chunk.
        """
        step = first
        while step < last:
            if before + step > 0:
                where = {"at": step, "flow": flow.kept(), "known": known or {}}
                self._good = self._snapshot(before + step, flow.state.copy(), part, where)
            self._keep_when_due()
            count = min(self._size, last - step)
            begun = time.perf_counter()
            flow.advance(step, count)
            self._size = next_size(self._size, count, time.perf_counter() - begun)
            step += count
            if hear is not None:
                hear(step)

    def _keep_when_due(self) -> None:
        if self.keeper.reached(self._good.step):
            self.keeper.save(self._good)

    def _snapshot(self, step: int, state: Array, part: str = "", where: dict[str, Any] | None = None) -> Snapshot:
        facts = {"part": part, "told": dict(self._told), **(where or {})}
        return Snapshot(step, state, {}, facts, 0, dict(self._constants))


def _fixed(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array
