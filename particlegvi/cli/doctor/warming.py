"""Compiling ahead all that the shipped scenarios need, so that no lecture waits for it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from particlegvi.contracts import Facts, Progress
from particlegvi.datasets import MissingData
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.compiled import cache_folder
from particlegvi.runs.execute import execute
from particlegvi.scenario import catalogue, load
from particlegvi.tools.cells import choose
from particlegvi.tools.stages import tell

STEPS = 20  # of each run: kernels depend on the number of particles, which stays, and not on that of steps


def warm(
    names: Iterable[str] | None = None, progress: Progress | None = None, processes: int | None = None
) -> list[str]:
    """Run each scenario for a few steps, with its truth and without pictures; the names of those left out.

    Left out are those whose data are not there, and tables, which would take minutes and compile nothing of their own.
    The processes, one for each processor where their number is not said, share the kernels: each is compiled by one of
    them (`particlegvi.engine.numerics.shared_cache`). Where the cache cannot be written there is only this process.
    """
    chosen = list(catalogue.names() if names is None else names)
    left = {}
    number = min(threads.count() if processes is None else processes, len(chosen)) if cache_folder() else 1
    tell(progress, "scenarios", total=len(chosen))
    for done, (name, ran) in enumerate(choose(number)(_ran, chosen, number), start=1):
        left[name] = not ran
        tell(progress, "scenarios", done, len(chosen))
    return [name for name in chosen if left[name]]


def _ran(name: str) -> tuple[str, bool]:
    """The name, and whether it could be run."""
    settings = load(catalogue.path(name))
    if "methods" not in settings:
        return name, False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            execute(_shortened(settings), save=False).summary  # noqa: B018 - computed when asked
    except MissingData:
        return name, False
    return name, True


def _shortened(settings: Facts) -> Facts:
    fewer = {"steps": min(STEPS, settings["steps"])} if "steps" in settings else {}
    if settings.get("record_every"):
        fewer["record_every"] = min(STEPS, settings["record_every"])
    return load(settings, fewer)
