"""The truth beside each run, found when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from particlegvi import targets
from particlegvi.runs import Run
from particlegvi.scenario.building import Parts


class Targets(Mapping[str, Any]):
    """The target of every run by label; None where there is none, with the sentence that says why in ``reasons``."""

    def __init__(self, runs: Mapping[str, Run], parts: Parts) -> None:
        self._runs = runs
        self._parts = parts
        self._found: dict[str, Any] = {}
        self.reasons: dict[str, str] = {}

    def __getitem__(self, label: str) -> Any:
        run = self._runs[label]
        if label not in self._found:
            self._found[label] = None
            try:
                self._found[label] = targets.target(run.loss, run.method, prior=run.prior, initial=self._start(run))
            except ValueError as error:
                self.reasons[label] = str(error)
        return self._found[label]

    def _start(self, run: Run) -> Any:
        """The distribution that the particles started from."""
        return run.prior if self._parts.initial is None else self._parts.initial

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)
