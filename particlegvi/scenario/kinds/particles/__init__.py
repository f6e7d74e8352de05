"""Particles in a loss landscape: chapter 5 of the thesis.

``keys`` has the keys of a scenario, ``building`` makes the loss, the prior and the methods, ``simulating`` runs one
method, and its replicates with other seeds, ``truth`` finds the targets, ``facts`` has the numbers of
summary.json, and ``table`` the table for a terminal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from particlegvi.contracts import Facts, Scenario
from particlegvi.scenario.kinds.kind import Kind, Parts, Runs, Targets
from particlegvi.scenario.kinds.particles.keys import FIGURES, KEYS, METHODS, fill, with_defaults
from particlegvi.settings import keys
from particlegvi.simulation.sampling.sample_settings import AUTO, FEWEST
from particlegvi.tools import machine

if TYPE_CHECKING:
    from particlegvi.tools.export.writing import Arrays

ABSENT = {"loss": "given", "initial": "array"}  # entries of objects that the scenario of their folder does not have


class Particles(Kind):
    """A loss, a prior and methods that move particles."""

    name = "particles"
    keys = KEYS
    smallest = 'loss = "x^2/2"'

    @property
    def methods(self) -> Mapping[str, Facts]:
        return {label: with_defaults("method", {}, label) for label in METHODS}

    def complete(self, scenario: Facts) -> list[str]:
        return fill(scenario)

    def agree(self, scenario: Facts) -> None:
        start = scenario.get("initial", {}).get("points")
        if start is not None and len(start) != scenario["particles"]:
            raise ValueError(
                f"particles must be {len(start)}, as many as initial.points has, not {scenario['particles']}"
            )
        if "replicates" in scenario and "modes" not in scenario:
            raise ValueError("modes must be given where there are replicates, which are counted by mode")
        keys.check_record_every(scenario)
        if "preconditioner" in scenario:
            for key in ("replicates", "kernel"):
                if key in scenario:
                    raise ValueError(f"{key} must be left out where there is a preconditioner")
            own = {f"methods.{label}.integrator": entry.get("integrator", "mala")
                   for label, entry in scenario["methods"].items()}  # fmt: skip
            for key, value in {"integrator": scenario["integrator"], **own}.items():
                if value != "mala":
                    raise ValueError(f'{key} must be "mala" where there is a preconditioner, not {value}')
            size = scenario["step_size"]
            if not isinstance(size, int | float) and size != AUTO:
                raise ValueError(f'step_size must be "{AUTO}" or a number where there is a preconditioner, not {size}')
            if scenario["particles"] < FEWEST:
                raise ValueError(
                    f"particles must be {FEWEST} or more where there is a preconditioner, not {scenario['particles']}"
                )

    def check(self, parts: Parts, scenario: Scenario, folder: Path | None) -> None:
        absent = next((key for key, word in ABSENT.items() if word in scenario.get(key, {})), None)
        if absent is not None:
            wrong = f"{absent} must be a part that scenarios can name, not {scenario[absent][ABSENT[absent]]}"
            raise ValueError(f"{wrong}; pg.compare and pg.simulate begin a run of objects, and pg.resume finishes it")
        size = scenario["particles"], parts.loss.dim, scenario["steps"], scenario.get("record_every")
        machine.check_records(*size, len(parts.methods), folder=folder)

    def targets(self, runs: Runs, parts: Parts, before: Targets = None) -> Targets:
        from particlegvi.scenario.kinds.particles import truth

        return truth.RunTargets(runs, parts, before)

    def arrays(self, run: Any) -> Arrays:
        return {**self.packed(run).arrays, "times": run.times}

    def facts(self, runs: Runs, label: str, scenario: Scenario, targets: Targets) -> Facts:
        from particlegvi.scenario.kinds.particles.evidence import Evidence
        from particlegvi.scenario.kinds.particles.facts import facts as registry

        numbers: Facts = {}
        run = runs[label]
        start, solved = targets.first_start(run), targets.of(label)
        evidence = Evidence(run, solved.target, solved.reason, scenario.get("modes"), start, numbers)
        return registry.compute(evidence, numbers, scenario.get("facts", ()))

    def cells(self, runs: Runs, summary: Facts) -> list[list[str]]:
        from particlegvi.scenario.kinds.particles.table import cells

        return cells(summary)

    def figure(self, runs: Sequence[Any]) -> str:
        dim = runs[0].dim
        if dim not in FIGURES:
            return "distance"  # to draws that stand for the truth; without them it says what is missing
        return FIGURES[dim]
