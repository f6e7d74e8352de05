"""Ensembles of neural networks on data: section 5.5 of the thesis, and repulsion between outputs.

``keys`` has the keys of a scenario, ``data`` draws or loads the data, ``building`` makes the parts, ``simulating`` runs
one method, with its data and its noise, ``facts`` has the numbers of summary.json, and ``table`` the table for a
terminal.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from particlegvi.contracts import Facts, Record, Scenario
from particlegvi.scenario.kinds.kind import Kind, Parts
from particlegvi.scenario.kinds.networks.keys import KEYS
from particlegvi.settings import keys
from particlegvi.tools import machine

if TYPE_CHECKING:
    from particlegvi.scenario.kinds.networks.simulating import NetworkRun

FIGURES = {1: "ensemble-line", 2: "ensemble-plane"}  # by inputs


class NetworkKind(Kind):
    """Data, a network, its prior, and methods that move an ensemble of it."""

    name = "networks"
    keys = KEYS
    smallest = """
kind = "networks"
data = {name = "two-moons"}
steps = 2000
step_size = 0.1
methods = {DE = {}}"""

    def agree(self, scenario: Facts) -> None:
        keys.check_record_every(scenario)

    def check(self, parts: Parts, scenario: Scenario, folder: Path | None) -> None:
        size = scenario["particles"], parts.network.dim, scenario["steps"], scenario.get("record_every")
        machine.check_records(*size, len(scenario["methods"]), folder=folder)

    def packed(self, run: NetworkRun) -> Record:
        arrays = {"positions": run.positions, "steps": run.steps, "inputs": run.data.X, "targets": run.data.y}
        return Record(arrays, run.info)

    def figure(self, runs: Sequence[NetworkRun]) -> str:
        inputs = runs[0].data.X.shape[1]
        if inputs not in FIGURES:
            raise ValueError(f"the networks have {inputs} inputs; ensembles of one and two can be drawn")
        return FIGURES[inputs]
