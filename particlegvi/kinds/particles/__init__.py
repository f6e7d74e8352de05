"""Particles in a loss landscape: chapter 5 of the thesis.

``keys`` has the keys of a scenario, ``building`` makes the loss, the prior and the methods, ``running`` simulates,
``replicates`` repeats a run with other seeds, ``truth`` finds the targets, ``facts`` has the numbers of summary.json,
one file each, and ``table`` the table for a terminal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from particlegvi.contracts import Facts, Record, Run, Scenario
from particlegvi.kinds.kind import Job, Kind, Parts, Runs, Space, Targets
from particlegvi.kinds.particles import defaults
from particlegvi.kinds.particles.keys import KEYS
from particlegvi.tools import memory
from particlegvi.tools.stages import Expected

if TYPE_CHECKING:
    import xarray

    from particlegvi.export.writing import Arrays


class Particles(Kind):
    """A loss, a prior and methods that move particles."""

    name = "particles"
    keys = KEYS
    smallest = 'loss = "x^2/2"'
    methods = defaults.METHODS

    def complete(self, scenario: Facts) -> list[str]:
        return defaults.fill(scenario)

    def agree(self, scenario: Facts) -> None:
        start = scenario.get("initial", {}).get("points")
        if start is not None and len(start) != scenario["particles"]:
            raise ValueError(
                f"particles must be {len(start)}, as many as initial.points has, not {scenario['particles']}"
            )
        if "replicates" in scenario and "modes" not in scenario:
            raise ValueError("replicates count modes, and the key modes is missing")
        every = scenario.get("record_every", 0)
        if every > scenario["steps"]:
            raise ValueError(f"record_every must be at most steps, which is {scenario['steps']}, not {every}")

    def build(self, scenario: Scenario) -> Parts:
        from particlegvi.kinds.particles import building

        return building.parts(scenario)

    def check(self, parts: Parts, scenario: Scenario, space: Space) -> None:
        particles, dim, steps = scenario["particles"], parts.loss.dim, scenario["steps"]
        every, number = scenario.get("record_every"), len(parts.methods)
        memory.check_records(particles, dim, steps, every, number, folder=space.folder, freed=space.freed)

    def compiles(self, parts: Parts, scenario: Scenario) -> Expected:
        from particlegvi.simulation.expected import expected

        return expected(parts.loss, parts.methods.values())

    def simulate(self, job: Job) -> Run:
        from particlegvi.kinds.particles import running

        return running.simulate(job)

    def packed(self, run: Any) -> Record:
        return Record({"positions": run.positions, "steps": run.steps}, run.info)

    def unpacked(self, job: Job, record: Record) -> Run:
        from particlegvi.kinds.particles import running

        return running.unpacked(job, record)

    def targets(self, runs: Runs, parts: Parts) -> Targets:
        from particlegvi.kinds.particles import truth

        return truth.Targets(runs, parts)

    def more_targets(self, runs: Runs, parts: Parts, before: Targets) -> Targets:
        from particlegvi.kinds.particles import truth

        return truth.Targets(runs, parts, before)

    def arrays(self, run: Any) -> Arrays:
        return {**self.packed(run).arrays, "times": run.times}

    def truth(self, runs: Runs, label: str, targets: Targets) -> xarray.Dataset | None:
        from particlegvi.kinds.particles import exporting

        return exporting.truth(targets[label], runs[label].variables)

    def facts(self, runs: Runs, label: str, scenario: Scenario, targets: Targets) -> Facts:
        from particlegvi.kinds.particles.facts import facts as every
        from particlegvi.kinds.particles.seen import Seen

        found: Facts = {}
        run = runs[label]
        start, target, reason = targets.first_start(run), targets[label], targets.reasons.get(label)
        return every.compute(Seen(run, target, reason, scenario.get("modes"), start, found), found)

    def checked(self, summary: Facts | None) -> Facts | None:
        from particlegvi.kinds.particles.facts import facts as every

        return every.checked(summary)

    def describe(self, runs: Runs, scenario: Scenario, summary: Facts) -> str:
        from particlegvi.kinds.particles.table import describe

        return describe(scenario, summary)

    def cells(self, runs: Runs, summary: Facts) -> list[list[str]]:
        from particlegvi.kinds.particles.table import cells

        return cells(summary)

    def verdicts(self, summary: Facts) -> dict[str, tuple[bool | None, str]]:
        found = {label: facts.get("equilibrium") for label, facts in summary["methods"].items()}
        return {label: (each["reached"], each["verdict"]) for label, each in found.items() if each}

    def rows(self, runs: Runs, summary: Facts) -> list[Facts]:
        from particlegvi.kinds.particles.table import rows

        return rows(runs, summary)

    def figure(self, runs: Sequence[Any]) -> str:
        dim = runs[0].dim
        if dim not in defaults.FIGURES:
            raise ValueError(f"the particles have {dim} dimensions; figures of 1 and 2 can be drawn")
        return defaults.FIGURES[dim]
