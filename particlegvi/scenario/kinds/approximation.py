"""Approximations of a Gaussian process beside the exact one, by their number of inducing points, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence

from particlegvi.contracts import Facts, Scenario
from particlegvi.scenario.kinds.benchmark import BenchmarkTable, names
from particlegvi.scenario.kinds.kind import Parts
from particlegvi.settings import checks, keys
from particlegvi.settings.keys import Key
from particlegvi.tools.quoting import refuse

SIZE = checks.whole(1, 2**31 - 1)


def sizes(value: object, key: str) -> list[int]:
    if not isinstance(value, list) or not 1 <= len(value) <= 100:
        raise refuse(key, value, "a list of at least one whole number")
    return [SIZE(each, f"{key}[{index}]") for index, each in enumerate(value)]


class Approximation(BenchmarkTable):
    """A table of approximations on data sets, by number of inducing points and trial: `scenario.tables.run_table`."""

    name = "approximation"
    keys = {
        **keys.HEAD,
        "rows": Key(names, "data sets", ["synthetic"]),
        "models": Key(names, "approximations; absent: all of the table"),
        "sizes": Key(sizes, "numbers of inducing points", [4, 10, 21, 46, 100]),
        "trials": Key(checks.whole(1, 1000), "how many starts at random rows", 10),
        "iterations": Key(checks.whole(1, 100_000), "of a search for inducing points, at most", 200),
        **keys.TAIL,
    }
    smallest = 'kind = "approximation"'

    def complete(self, scenario: Facts) -> list[str]:
        return []

    def agree(self, scenario: Facts) -> None:
        pass

    def build(self, scenario: Scenario) -> Parts:
        from particlegvi.scenario.tables import ApproximationSettings

        outside = (*keys.HEAD, *keys.TAIL)
        given = {key: scenario[key] for key in self.keys if key in scenario and key not in outside}
        return ApproximationSettings.of({"splits": given.pop("trials"), **given})

    def figure(self, runs: Sequence[object]) -> str:
        return "curves"
