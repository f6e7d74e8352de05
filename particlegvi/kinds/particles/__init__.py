"""Particles in a loss landscape: chapter 5 of the thesis."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from particlegvi.kinds.kind import Kind, Progress
from particlegvi.settings import keys
from particlegvi.tools import memory

if TYPE_CHECKING:
    from particlegvi.results import Results
    from particlegvi.storage.folder import Folder


class Particles(Kind):
    """A loss, a prior and methods that move particles; see `particlegvi.kinds.particles.building`."""

    name = "particles"
    keys = keys.KEYS

    def complete(self, scenario: dict[str, Any]) -> None:
        """Points to start from say how many particles there are."""
        started = scenario.get("initial")
        if isinstance(started, dict) and isinstance(started.get("points"), list) and started["points"]:
            scenario.setdefault("particles", len(started["points"]))

    def agree(self, scenario: dict[str, Any]) -> None:
        start = scenario.get("initial", {}).get("points")
        if start is not None and len(start) != scenario["particles"]:
            raise ValueError(
                f"initial.points has {len(start)} points and particles is {scenario['particles']}; they must agree"
            )
        if "replicates" in scenario and "modes" not in scenario:
            raise ValueError("replicates count modes, and the key modes is missing")
        every = scenario.get("record_every", 0)
        if every > scenario["steps"]:
            raise ValueError(f"record_every must be at most steps, which is {scenario['steps']}, not {every}")

    def build(self, scenario: Mapping[str, Any]) -> Any:
        from particlegvi.kinds.particles import building

        return building.parts(scenario)

    def check_disk(self, scenario: Mapping[str, Any], parts: Any, folder: Path | None, freed: int) -> None:
        particles, dim, steps = scenario["particles"], parts.loss.dim, scenario["steps"]
        memory.check_records(particles, dim, steps, scenario.get("record_every"), len(parts.methods), folder, freed)

    def simulate(
        self,
        results: Results,
        label: str,
        folder: Folder | None,
        progress: Progress | None,
        checkpoint_every: float,
    ) -> None:
        from particlegvi.running import execute as runner

        runner.simulate_method(results, label, folder, progress, checkpoint_every)

    def stored(self, folder: Folder, results: Results, label: str) -> Any:
        from particlegvi.simulation.run import Run

        parts = results.parts
        done = label in folder.manifest["methods"]
        record = folder.record(label) if done else folder.unfinished(label)
        if record is None:
            return None
        positions, steps, info = record
        if positions.shape[2] != parts.loss.dim:
            raise ValueError(f"{folder.path} is damaged: {label} has the dimension {positions.shape[2]}")
        step_size = results.scenario["step_size"]
        return Run(
            label, parts.loss, parts.prior, parts.methods[label], positions, steps, step_size, results.seed, info
        )

    def write(self, folder: Folder, label: str, run: Any) -> None:
        from particlegvi.results import recorded

        folder.add(label, *recorded(run))

    def settle(self, run: Any) -> None:
        from particlegvi.kinds.particles.building import settled

        run.method = settled(run.method, run.info)

    def targets(self, runs: Mapping[str, Any], parts: Any) -> Any:
        from particlegvi.kinds.particles.truth import Targets

        return Targets(runs, parts)

    def facts(self, results: Results, label: str) -> dict[str, Any]:
        from particlegvi.kinds.particles.summary import facts

        run, modes = results[label], results.scenario.get("modes")
        target = results.targets[label]
        return facts(run, target, results.targets.reasons.get(label), modes, results.targets.first_start(run))

    def checked(self, summary: dict[str, Any] | None) -> dict[str, Any] | None:
        from particlegvi.kinds.particles.summary import checked

        return checked(summary)

    def describe(self, results: Results) -> str:
        from particlegvi.kinds.particles import table

        return table.describe(results.scenario, results.summary)
