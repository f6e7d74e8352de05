"""The runs of a checked problem by several methods, in memory or in a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from particlegvi.contracts import Array, Distribution, Facts, Method, Progress, Start
from particlegvi.methods.flow import ParticleProblem
from particlegvi.runs.execute import execute
from particlegvi.runs.results import Comparison
from particlegvi.scenario.kinds.particles.building import Parts


class Saving(NamedTuple):
    """The folder of runs, if they get one, and how it is written."""

    out: str | os.PathLike[str] | None
    overwrite: bool
    checkpoint_every: float


def compared(
    problem: ParticleProblem,
    chosen: Mapping[str, Method],
    start_and_truth: tuple[Start | None, Array | None],
    saving: Saving,
    facts: Facts,
    reporter: Progress | None,
) -> Comparison:
    """Run methods of a checked problem; ``facts`` are keys of the scenario that the problem does not have.

    ``start_and_truth`` are the start and the draws of the truth, as the caller has them.
    """
    initial, reference = start_and_truth
    # a distribution is kept, not replaced by its points: the target of DE depends on it
    has_points = initial is not None and not isinstance(initial, Distribution)
    start = problem.start if has_points else initial
    made = Parts(problem.loss, problem.prior, start, dict(chosen), reference)  # type: ignore[arg-type]  # any loss
    friction = {} if problem.friction is None else {"name": problem.integrator, "friction": problem.friction}
    scenario: Facts = {
        "source": "",
        "particles": len(problem.start),
        "steps": problem.steps,
        "step_size": problem.step_size,
        "integrator": friction or problem.integrator,
        "tolerance": problem.tolerance,
        "methods": {label: {} for label in chosen},
    } | facts
    results = Comparison(scenario, made, problem.seed, status="running")
    out, overwrite, every = saving
    execute(results, out, overwrite, reporter, save=out is not None, checkpoint_every=every)
    return results
