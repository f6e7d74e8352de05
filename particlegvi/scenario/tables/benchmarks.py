"""All tables by the class of their settings, and the measurement of one task of any of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.scenario.tables.approximation import ApproximationSettings, ApproximationTable
from particlegvi.scenario.tables.ensembles import EnsembleSettings, EnsembleTable
from particlegvi.scenario.tables.functions import ProjectedSettings, ProjectedTable
from particlegvi.scenario.tables.linear import LinearSettings, LinearTable
from particlegvi.scenario.tables.problem import Problem
from particlegvi.scenario.tables.settings import TableSettings, Task
from particlegvi.scenario.tables.table import Table
from particlegvi.scenario.tables.wasserstein import WassersteinSettings, WassersteinTable
from particlegvi.scenario.tables.wasserstein.protocols import Trials
from particlegvi.tools import arguments

BENCHMARKS: dict[type[TableSettings], type[Table]] = {
    ProjectedSettings: ProjectedTable,
    EnsembleSettings: EnsembleTable,
    WassersteinSettings: WassersteinTable,
    LinearSettings: LinearTable,
    ApproximationSettings: ApproximationTable,
}


def benchmark(settings: TableSettings) -> type[Table]:
    """The table of these settings."""
    return BENCHMARKS[type(settings)]


def settings_of(given: object) -> TableSettings:
    """Return settings unchanged; turn a mapping into settings of Table 6.2."""
    return given if isinstance(given, TableSettings) else ProjectedSettings.of(given)  # type: ignore[arg-type]


def measure(task: Task, settings: TableSettings, problem: Any = None) -> dict[str, float]:
    """Fit and score: a pure function of the task and the settings.

    Parameters
    ----------
    task : Task
    settings : TableSettings
    problem : Problem, optional
        The problem of this task, if it exists already: models of one problem share work.

    Returns
    -------
    dict
        Scores by name; the ``score`` function of each table says which.

    Raises
    ------
    ValueError
        If a name in the task does not exist, or its data are missing.
    """
    _check(task, settings, problem)
    made = benchmark(settings).problem(task.row, task.protocol, task.split) if problem is None else problem
    return scores_of(task, settings, made)


def scores_of(task: Task, settings: TableSettings, problem: Any) -> dict[str, float]:
    """Fit and score a task of a checked table."""
    with one_blas_thread():  # the last bits of matrix factors depend on the number of threads
        return benchmark(settings).score(task, settings, problem)


def _check(task: Any, settings: Any, problem: Any) -> None:
    kinds = [("task", task, Task), ("settings", settings, TableSettings)]
    for key, value, kind in kinds if problem is None else [*kinds, ("problem", problem, Problem | Trials)]:
        if not isinstance(value, kind):
            name = getattr(kind, "__name__", "Problem")
            raise arguments.refuse(key, value, f"a {name} of particlegvi.scenario.tables")
    # Validate the task as a table of one cell; the numbers of inducing points are the protocols of approximations.
    chosen = {"protocols": (task.protocol,)} if not isinstance(settings, ApproximationSettings) else {}
    replace(settings, rows=(task.row,), models=(task.model,), first_split=task.split, **chosen)
