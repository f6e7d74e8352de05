"""One run of one method, `particlegvi.simulate`; and the runs of a checked problem, in memory or in a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from particlegvi import integrators
from particlegvi import methods as registry
from particlegvi.contracts import Array, Distribution, Facts, Loss, Method, Prior, Progress, Start, StepListening
from particlegvi.engine.numerics.compiled import compiling_told
from particlegvi.integrators import Integrator, schedules
from particlegvi.methods.flow import ParticleProblem
from particlegvi.simulation.loop import run_problem
from particlegvi.simulation.problem import Settings, check_problem, prior_or_flat
from particlegvi.simulation.run import Description, Run
from particlegvi.simulation.storage import CHECKPOINT_EVERY, MemoryStorage, Saving
from particlegvi.tools import arguments, machine, objects
from particlegvi.tools.calls import explains_bad_calls
from particlegvi.tools.limits import PARTICLES, STEP_SIZE, STEPS, STEPS_TO_ARRIVE
from particlegvi.tools.patience import listening

if TYPE_CHECKING:
    from particlegvi.runs.results import Comparison


@explains_bad_calls
def simulate(
    loss: Loss,
    method: Method | str,
    prior: Prior | None = None,
    particles: int | None = None,
    steps: int | str = STEPS,
    step_size: float | schedules.Schedule | Mapping[str, object] | str | None = None,
    *,
    initial: Start | None = None,
    seed: int = 0,
    preconditioner: str | ArrayLike | None = None,
    integrator: str | Integrator | Mapping[str, object] = "euler-maruyama",
    record_every: int | None = None,
    tolerance: float = 1e-12,
    progress: StepListening = "auto",
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    checkpoint_every: float = CHECKPOINT_EVERY,
) -> Run:
    """Simulate one particle method.

    Parameters
    ----------
    loss : Loss
        From :mod:`particlegvi.losses` or :class:`particlegvi.Loss`.
    method : method or str
        From :mod:`particlegvi.methods`, or the name of one such as "DLE", which then has its defaults.
    prior : prior, optional
        From :mod:`particlegvi.priors`; flat when left out. Particles are reflected at its walls, on one side
        or on both (with MALA they stay where they were).
    particles : int, optional
        Number of particles; 300, or as many as ``initial`` has points.
    steps : int or "auto"
        Number of steps; "auto": as many as the particles need to arrive with a preconditioner, else 10,000.
    step_size : float, Schedule, mapping or "auto", optional
        Time of one step: a number, a schedule of ``pg.schedules``, or the table of a schedule; 1e-3 when left out.
        "auto": a twentieth of the largest stable one where the particles start, with growing steps if a wall is much
        steeper there. A warning is given if the largest step size exceeds the stability limit estimated at the start.
    initial : prior or array (particles, dim), optional
        Distribution of the start, or the start itself; the prior when left out (an error for a flat one).
    seed : int
        Same arguments and seed, same bytes: on any number of threads, in chunks of any size.
    preconditioner : "ensemble", "diagonal", "none" or array (dim, dim), optional
        DLE only: start, steps, step size and end as in `particlegvi.sample`; a ``step_size`` that is left out is then
        "auto", and ``integrator`` is left out.
    integrator : str, function or mapping
        One of ``particlegvi.integrators.names()``, a function below `particlegvi.integrators.integrator`, or a mapping
        with its ``name`` and, for "baoab", its ``friction``.
    record_every : int, optional
        Steps between records; left out, at most 200 records; 0 keeps the start and the end only.
    tolerance : float
        Error allowed in the repulsion of each particle, in units of variance / lengthscale of the kernel.
    progress : bool, "auto" or callable, optional
        "auto" shows a bar after a second, in a notebook and on a terminal; True shows a bar at once, anywhere; None or
        False shows no bar. A function is called as ``progress(steps_done, steps)`` a few times a second; an object
        that is a `particlegvi.contracts.Stages` is also told of compiling before the first step.
    out : path, optional
        Folder in which the run is saved while it runs, for `particlegvi.load` and `resume`. Prior, method and kernel
        must have a name and follow from their parameters. A loss in functions of Python is handed in again when the run
        goes on: ``pg.resume(out, loss=loss)``.
    overwrite : bool
        Whether ``out`` may be the folder of an earlier run.
    checkpoint_every : float
        Seconds between checkpoints in ``out``.

    Returns
    -------
    Run
        ``positions`` (records, particles, dim), ``final`` (particles, dim), the ``times`` of the records (records,) and
        facts of the run in ``info``; ``describe()`` says whether it has arrived.

    Raises
    ------
    Diverged
        If a step makes a particle non-finite. The error's ``run`` is the run up to the last record, also the ``run``
        of the ``KeyboardInterrupt`` after Ctrl-C; after either error ``particlegvi.last_interrupted()`` returns it.
    """
    objects.check_listening(progress)
    method = registry.get(method)() if isinstance(method, str) else method
    label = objects.method(method).label
    settings = Settings(particles, steps, step_size, integrator, tolerance, record_every, seed)
    saving = None if out is None else Saving(out, overwrite, checkpoint_every)
    with listening(progress, "run") as reporter, compiling_told(reporter):
        problem, facts = checked_problem(loss, [method], prior, initial, settings, preconditioner)
        if saving is None and preconditioner is None:
            machine.check_records(len(problem.start), problem.start.shape[1], problem.steps, record_every)
            heard = partial(reporter, label)
            return run_problem(problem, method, record_every, heard, MemoryStorage(), describer=_described)
        facts |= {"name": "simulation", "title": f"{problem.loss.name}: {method.label}"}
        facts |= {} if record_every is None else {"record_every": record_every}
        run: Run = run_methods(problem, {label: method}, initial, saving, facts, reporter)[label]
        return run


def checked_problem(
    loss: Loss,
    methods: list[Method],
    prior: Prior | None,
    initial: Start | None,
    settings: Settings,
    preconditioner: str | ArrayLike | None,
) -> tuple[ParticleProblem, Facts]:
    """The checked problem of all methods, and the keys that its scenario has for a preconditioner.

    The word "auto" becomes the number that a scenario would have.
    """
    if preconditioner is not None:
        return _ensemble_problem(loss, methods, prior, initial, settings, preconditioner)
    if isinstance(settings.steps, str) or isinstance(settings.step_size, str):
        settings = _without_words(loss, methods, prior, initial, settings)
    for method in methods:
        problem = check_problem(loss, method, prior, initial, settings)
    return problem, {}


def _ensemble_problem(
    loss: Loss,
    methods: list[Method],
    prior: Prior | None,
    initial: Start | None,
    settings: Settings,
    preconditioner: str | ArrayLike,
) -> tuple[ParticleProblem, Facts]:
    """`checked_problem` with a preconditioner; without points the start is 0, and the run finds its own."""
    import numpy as np

    from particlegvi.simulation.sampling.sample import check_method
    from particlegvi.simulation.sampling.sample_settings import AUTO, checked

    for method in methods:
        check_method(objects.method(method))
    if settings.integrator not in ("euler-maruyama", "mala"):
        raise arguments.refuse("integrator", settings.integrator, "left out where there is a preconditioner")
    dim = objects.loss(loss).dim
    prior = prior_or_flat(prior, dim)
    initial = None if initial is None else objects.start(initial, dim)
    points = initial if isinstance(initial, np.ndarray) else None
    particles = settings.particles or (PARTICLES if points is None else len(points))
    steps = STEPS_TO_ARRIVE if settings.steps == AUTO else settings.steps
    size = AUTO if settings.step_size is None else settings.step_size
    chosen = checked(Settings(particles, steps, size, seed=settings.seed), dim, initial, preconditioner)
    scale = chosen.preconditioner
    facts: Facts = {"preconditioner": scale if isinstance(scale, str) else scale.tolist()}
    facts["step_size"] = chosen.step_size or AUTO
    start = np.zeros((chosen.particles, dim)) if points is None else points
    return ParticleProblem(loss, prior, start, chosen.steps, 1.0, chosen.seed, "mala", settings.tolerance), facts


def _without_words(
    loss: Loss, methods: list[Method], prior: Prior | None, initial: Start | None, settings: Settings
) -> Settings:
    """The settings with numbers in the place of the word "auto"."""
    from particlegvi.scenario.kinds.particles import first_step
    from particlegvi.simulation.sampling.sample_settings import AUTO

    if settings.steps == AUTO:
        settings = replace(settings, steps=STEPS)
    if settings.step_size == AUTO:
        problem = check_problem(loss, methods[0], prior, initial, replace(settings, step_size=STEP_SIZE))
        begun = initial if initial is None or isinstance(initial, Distribution) else problem.start
        integrator = integrators.integrator_from(settings.integrator).name
        settings = replace(settings, step_size=first_step.step_size(loss, problem.prior, begun, methods, integrator))
    return settings


def _described(run: Run) -> Description:
    from particlegvi.runs.results.runs import description

    return description(run)


def run_methods(
    problem: ParticleProblem,
    methods: Mapping[str, Method],
    initial: Start | None,
    saving: Saving | None,
    facts: Facts,
    reporter: Progress | None,
    *,
    reference: Array | None = None,
) -> Comparison:
    """Run methods of a checked problem; ``facts`` are keys of the scenario that the problem does not have.

    ``initial`` is the start as the caller has it, and ``reference`` are draws of the truth.
    """
    from particlegvi.runs.execute import execute
    from particlegvi.runs.results import Comparison
    from particlegvi.scenario.kinds.particles.building import Parts

    # a distribution is kept, not replaced by its points: the target of DE depends on it
    has_points = initial is not None and not isinstance(initial, Distribution)
    start = problem.start if has_points else initial
    made = Parts(problem.loss, problem.prior, start, dict(methods), reference)  # type: ignore[arg-type]  # any loss
    friction = {} if problem.friction is None else {"name": problem.integrator, "friction": problem.friction}
    scenario: Facts = {
        "source": "",
        "particles": len(problem.start),
        "steps": problem.steps,
        "step_size": problem.step_size,
        "integrator": friction or problem.integrator,
        "tolerance": problem.tolerance,
        "methods": {label: {"method": method.label} for label, method in methods.items()},
    } | facts
    results = Comparison(scenario, made, problem.seed, status="running")
    execute(results, reporter, saving)
    return results
