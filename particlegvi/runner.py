"""Running a scenario: every method from the same start and the same noise, and what is kept of it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from particlegvi.errors import Diverged
from particlegvi.replicates import replicate
from particlegvi.results import Results, recorded
from particlegvi.results.folder import Folder, create
from particlegvi.results.versions import versions
from particlegvi.scenario import load
from particlegvi.scenario.building import Parts, build
from particlegvi.scenario.checks import whole
from particlegvi.simulation import simulate

Progress = Callable[[str, int, int], None]


def run(
    scenario: str | os.PathLike[str] | Mapping[str, Any],
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
    **overrides: Any,
) -> Results:
    """Run a scenario.

    Parameters
    ----------
    scenario : str, path or mapping
        Name of a scenario (`particlegvi.scenarios.names()`), path of a TOML file, or the content of one.
    seed : int
        From 0 to 2^64 - 1. The same scenario, seed and versions give the same bytes.
    out : path, optional
        Folder to write; nothing is written without it.
    overwrite : bool
        Whether ``out`` may be the folder of an earlier run.
    progress : callable, optional
        Called as ``progress(label, steps done, steps)`` now and then.
    **overrides
        Values for keys of the scenario, such as ``particles=1000`` or ``methods={"DRLE": {"kl_weight": 0.3}}``; with
        ``**{"methods.DRLE.kl_weight": 0.3}`` any key can be reached.

    Returns
    -------
    Results
        A mapping from labels to runs.

    Raises
    ------
    ValueError
        If the scenario, an override, the seed or ``out`` is bad; nothing is written then.
    Diverged
        If a step made a particle non-finite. What was recorded before is in ``error.results``, and in ``out``.
    """
    return execute(load(scenario, overrides), seed, out, overwrite, progress, save=out is not None)


def execute(
    scenario: dict[str, Any],
    seed: int = 0,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
    save: bool = True,
) -> Results:
    """Run a complete scenario; with ``save`` and without ``out`` its folder is the first free one in ``runs``."""
    seed = whole(0, 2**64 - 1)(int(seed) if type(seed).__module__ == "numpy" else seed, "seed")
    try:
        parts = build(scenario)
    except ValueError as error:
        raise ValueError(f"{scenario['name']}: {error}") from None
    folder = create(out, scenario, seed, versions(), overwrite) if save else None
    results = Results(scenario, parts, seed, folder=folder.path if folder else None, status="running")
    try:
        _simulate_all(results, parts, folder, progress)
        results.status = "finished"
        if folder is not None:
            folder.update(status="finished")
            folder.write_summary(results.summary)
    except BaseException as error:
        _keep(results, folder, error)
        raise
    return results


def _simulate_all(results: Results, parts: Parts, folder: Folder | None, progress: Progress | None) -> None:
    settings = results.scenario
    for label, method in parts.methods.items():
        made = simulate(
            parts.loss,
            method,
            prior=parts.prior,
            particles=settings["particles"],
            steps=settings["steps"],
            step_size=settings["step_size"],
            initial=parts.initial,
            seed=results.seed,
            integrator=settings["integrator"],
            record_every=settings.get("record_every"),
            tolerance=settings["tolerance"],
            progress=None if progress is None else partial(progress, label),
        )
        if "replicates" in settings:
            made.info["replicates"] = replicate(made, parts, settings)
        results.add(label, made)
        if folder is not None:
            folder.add(label, *recorded(made))


def _keep(results: Results, folder: Folder | None, error: BaseException) -> None:
    """Leave the folder as truthful as the way the run ended allows; the error carries the results that there are."""
    with contextlib.suppress(AttributeError):
        error.results = results  # type: ignore[attr-defined]
    if results.status == "finished":
        return  # only the summary is missing, and whoever loads the folder makes it anew
    partly = getattr(error, "run", None)  # what Diverged and KeyboardInterrupt carry
    if partly is not None:
        label = next(label for label in results.scenario["methods"] if label not in results)
        results.add(label, partly)
        if folder is not None:
            folder.add(label, *recorded(partly))
    if isinstance(error, Diverged):
        results.status = "diverged"
        if folder is not None:
            folder.write_summary(results.summary)
            folder.update(status="diverged")
    elif folder is not None and isinstance(error, ValueError) and not results:
        folder.discard()  # a bad value that showed only in the simulation: as if nothing had been written
    elif folder is not None:
        with contextlib.suppress(OSError):  # a full disk is what went wrong, and what is there stays readable
            folder.update(status="interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
