"""The table of ensembles: Table 5.1 of the thesis, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from particlegvi.contracts import Run, Scenario
from particlegvi.kinds.benchmark import BenchmarkTable, names
from particlegvi.kinds.kind import Parts, Space
from particlegvi.settings import checks, keys
from particlegvi.settings.keys import Key


class EnsembleBenchmark(BenchmarkTable):
    """Ensembles of networks on the UCI sets over splits, by `particlegvi.tables.run_table`."""

    name = "ensemble-table"
    keys: ClassVar[dict[str, Key]] = {  # type: ignore[misc]
        **keys.HEAD,
        "rows": Key(names, "data sets; absent: all rows of the printed table"),
        "models": Key(names, "models; absent: de, dle, drle, drle-outputs, linear and gp"),
        "protocols": Key(names, "what is done to the data; absent: standard, thesis and thesis-leak"),
        "splits": Key(checks.whole(1, 1000), "how many splits; protein has at most five", 20),
        "first_split": Key(checks.whole(0, 1000), "number of the first split", 0),
        "particles": Key(checks.whole(2, 1000), "networks of an ensemble", 5),
        "steps": Key(checks.whole(1, 10**8), "the most steps under the protocol standard", 32_000),
        **keys.TAIL,
    }
    smallest = 'kind = "ensemble-table"'

    def build(self, scenario: Scenario) -> Parts:
        from particlegvi.tables.ensembles import EnsembleSettings

        given = {key: scenario[key] for key in self.keys if key in scenario and key not in (*keys.HEAD, *keys.TAIL)}
        return EnsembleSettings.of(given)

    def check(self, parts: Parts, scenario: Scenario, space: Space) -> None:
        from particlegvi.tables.ensembles.problems import problem

        for row in parts.rows:
            for protocol in parts.protocols:
                problem(row, protocol, 0)

    def figure(self, runs: Sequence[Run]) -> str:
        raise ValueError("a table of ensembles has no picture; see its table.md")
