"""Functions fitted to data: chapter 6 of the thesis."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from particlegvi.kinds.functions.keys import KEYS
from particlegvi.kinds.kind import Kind, Progress

if TYPE_CHECKING:
    from particlegvi.results import Results
    from particlegvi.storage.folder import Folder


class FunctionSpace(Kind):
    """Data, a Gaussian prior over functions, a likelihood, and the methods that fit them."""

    name = "function-space"
    keys = KEYS

    def build(self, scenario: Mapping[str, Any]) -> Any:
        from particlegvi.kinds.functions import building

        return building.build(scenario)

    def simulate(
        self,
        results: Results,
        label: str,
        folder: Folder | None,
        progress: Progress | None,
        checkpoint_every: float,
    ) -> None:
        from particlegvi.storage.folder_storage import FolderStorage

        hear = None if progress is None else partial(progress, label)
        keeper = None if folder is None else FolderStorage(folder, label, checkpoint_every)
        begun = time.perf_counter()
        run = results.parts.fit(label, results.seed, hear, keeper)
        run.fit.info["seconds"] = time.perf_counter() - begun + (keeper.earlier if keeper else 0.0)
        results.add(label, run)
        if folder is not None:
            self.write(folder, label, run)

    def stored(self, folder: Folder, results: Results, label: str) -> Any:
        if label not in folder.manifest["methods"]:
            return None
        positions, steps, info = folder.record(label)
        try:
            return results.parts.loaded(label, results.seed, positions, steps, info, folder.others(label))
        except (LookupError, ValueError, TypeError) as error:
            raise ValueError(f"{folder.path} is damaged: {label}: {error}") from None

    def write(self, folder: Folder, label: str, run: Any) -> None:
        from particlegvi.storage.folder import Record

        fit = run.fit
        info = {name: value for name, value in fit.info.items() if name != "seconds"}
        record = Record(fit.positions, fit.steps, info)
        folder.add(label, record, fit.info.get("seconds"), others=fit.arrays)

    def facts(self, results: Results, label: str) -> dict[str, Any]:
        from particlegvi.kinds.functions.summary import facts

        return facts(results[label])

    def checked(self, summary: dict[str, Any] | None) -> dict[str, Any] | None:
        from particlegvi.kinds.functions.summary import checked

        return checked(summary)

    def describe(self, results: Results) -> str:
        from particlegvi.kinds.functions.table import describe

        return describe(results.scenario, results.summary)

