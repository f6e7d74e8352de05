"""Compiling ahead all that the shipped scenarios need, so that no lecture waits for it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from particlegvi.contracts import Facts, Progress
from particlegvi.datasets import MissingData
from particlegvi.running.execute import execute
from particlegvi.scenario import catalogue, load

STEPS = 20  # of each run: kernels depend on the number of particles, which stays, and not on that of steps


def warm(names: Iterable[str] | None = None, progress: Progress | None = None) -> list[str]:
    """Run each scenario for a few steps, with its truth and without pictures; the names of those left out.

    Left out are those whose data are not there, and tables, which would take minutes and compile nothing of their own.
    """
    left = []
    for name in catalogue.names() if names is None else names:
        settings = load(catalogue.path(name))
        if "methods" not in settings:
            left.append(name)
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                execute(_shortened(settings), progress=progress, save=False).summary  # noqa: B018 - computed when asked
        except MissingData:
            left.append(name)
    return left


def _shortened(settings: Facts) -> Facts:
    fewer = {"steps": min(STEPS, settings["steps"])} if "steps" in settings else {}
    if settings.get("record_every"):
        fewer["record_every"] = min(STEPS, settings["record_every"])
    return load(settings, fewer)
