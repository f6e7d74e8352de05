"""The verdict of a single run, as a comparison of one method has it."""

from __future__ import annotations

from particlegvi.integrators import schedules
from particlegvi.runs.results.runs import Comparison
from particlegvi.scenario import kinds
from particlegvi.scenario.kinds.particles.building import Parts
from particlegvi.simulation.loop import simulate
from particlegvi.simulation.run import Run, Told, tellers

__all__ = ["Run", "simulate", "told"]  # whoever takes them from here gets runs that can describe themselves


def told(run: Run) -> Told:
    """The description and the verdict of a run of `particlegvi.simulate`."""
    start = run.initial if run.drawn_from_prior() is None else None
    facts = {
        "name": run.loss.name,
        "title": run.label,
        "source": "",
        "particles": run.particles,
        "steps": int(run.steps[-1]),
        "step_size": schedules.plain(run.step_size),
        "methods": {run.label: {}},
    }
    parts = Parts(run.loss, run.prior, start, {run.label: run.method})  # type: ignore[arg-type]  # any loss will do
    status = "stopped" if "stopped" in run.info else "finished"
    runs = Comparison(kinds.get("particles"), facts, parts, run.seed, status)
    runs.add(run.label, run)
    reached, verdict = runs.kind.verdicts(runs.summary)[run.label]
    return Told(runs.describe(), reached, verdict)


tellers[:] = [told]
