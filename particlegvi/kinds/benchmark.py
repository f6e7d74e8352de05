"""Benchmark tables: chapter 6's Table 6.2, cell by cell."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from particlegvi.kinds.kind import Kind, Progress
from particlegvi.settings import checks, keys
from particlegvi.settings.checks import Check, refuse
from particlegvi.settings.keys import Key

if TYPE_CHECKING:
    from particlegvi.results import Results
    from particlegvi.storage.folder import Folder

LABEL = "table"  # what a table's results are called


def names(value: Any, key: str) -> list[str]:
    if not isinstance(value, list) or not 1 <= len(value) <= 100:
        raise refuse(key, "a list of at least one name", value)
    return [checks.text(80)(each, f"{key}[{index}]") for index, each in enumerate(value)]


def _count(least: int) -> Check:
    return checks.whole(least, 2**31 - 1)


class BenchmarkTable(Kind):
    """Models on data sets over splits, by `particlegvi.tables.run_table`; the run's seed is that of the models."""

    name = "table"
    keys = {
        **keys.HEAD,
        "rows": Key(names, "data sets; absent: all rows of the printed table"),
        "models": Key(names, "models; absent: pls, svgp and linear"),
        "protocols": Key(names, "what is done to the data; absent: standardised and thesis"),
        "splits": Key(_count(1), "how many splits", 5),
        "first_split": Key(_count(0), "number of the first split", 0),
        "inducing_points": Key(_count(1), "the most that PLS and SVGP have under the standardised protocol", 400),
        "particles": Key(_count(2), "functions that PLS samples", 100),
        **keys.TAIL,
    }

    def labels(self, scenario: Mapping[str, Any]) -> list[str]:
        return [LABEL]

    def build(self, scenario: Mapping[str, Any]) -> Any:
        from particlegvi.tables import Settings

        given = {key: scenario[key] for key in self.keys if key in scenario and key not in (*keys.HEAD, *keys.TAIL)}
        if scenario["figures"]:
            raise ValueError("figures must be empty, because a table has no picture")
        return Settings.of(given)

    def ready(self, parts: Any) -> None:
        from particlegvi.tables.problems import problem

        for row in parts.rows:
            for protocol in parts.protocols:
                problem(row, protocol, 0)

    def simulate(
        self,
        results: Results,
        label: str,
        folder: Folder | None,
        progress: Progress | None,
        checkpoint_every: float,
    ) -> None:
        begun = time.perf_counter()
        if folder is None:
            with tempfile.TemporaryDirectory(prefix="particlegvi-") as place:
                results.add(label, self._run(results, place, progress))
            return

        from particlegvi.storage.folder import TABLES

        results.add(label, self._run(results, folder.path, progress))
        folder.enlist(label, [folder.path / name for name in TABLES], time.perf_counter() - begun)

    def _run(self, results: Results, place: str | Path, progress: Progress | None) -> Any:
        from particlegvi.tables import run_table

        return run_table(seeded(results), place, progress)

    def stored(self, folder: Folder, results: Results, label: str) -> Any:
        from particlegvi.storage.folder import TABLES
        from particlegvi.tables.running import stored

        if label not in folder.manifest["methods"]:
            return None
        for name in TABLES:
            folder.verify(folder.path / name)
        return stored(seeded(results), folder.path)

    def write(self, folder: Folder, label: str, run: Any) -> None:
        from particlegvi.storage.folder import TABLES
        from particlegvi.tables.running import draw_up

        draw_up(run, folder.path)
        folder.enlist(label, [folder.path / name for name in TABLES], None)

    def facts(self, results: Results, label: str) -> dict[str, Any]:
        return results[label].summary()

    def checked(self, summary: dict[str, Any] | None) -> dict[str, Any] | None:
        if summary is not None and not isinstance(summary.get("methods", {}).get(LABEL), dict):
            raise ValueError("it has no table")
        return summary

    def describe(self, results: Results) -> str:
        scenario = results.scenario
        heading = f"{scenario['name']}: {scenario['title']}\nseed {results.seed}, {results.status}"
        return f"{heading}\n\n{results[LABEL].markdown()}" if LABEL in results else heading


def seeded(results: Results) -> Any:
    """The settings with the seed of the run."""
    from dataclasses import replace

    return replace(results.parts, seed=results.seed)
