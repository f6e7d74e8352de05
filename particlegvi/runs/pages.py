"""The way in to pages: from the name of a scenario, a TOML file, the folder of a run, or runs."""

from __future__ import annotations

import os
from pathlib import Path

from particlegvi import scenario
from particlegvi.contracts import Scenario
from particlegvi.pages.building import Page
from particlegvi.pages.subjects import page_of_scenario
from particlegvi.runs.results.results import load
from particlegvi.runs.results.runs import Runs
from particlegvi.scenario import kinds
from particlegvi.tools import arguments


def page(
    subject: str | os.PathLike[str] | Scenario | Runs,
    *,
    seed: int = 0,
    frames: int = 120,
    live: bool = True,
    language: str = "en",
    **settings: object,
) -> Page:
    """One html file in which particles or functions move, for students: no server, no network.

    Parameters
    ----------
    subject : str, path, mapping or Runs
        The name of a scenario, a TOML file, or a scenario as plain data: the browser simulates it, and nothing is
        simulated here. The folder of a run, or results: the page replays them, and simulates below the replay. Of
        functions, it shows what was fitted.
    seed : int
        The seed of the live page of a scenario; a run has its own seed.
    frames : int
        Most moments of a replay; 0 for the live page alone.
    live : bool
        Whether a replay is followed by the live page.
    language : str
        The language of the words, "en" or "de".
    **settings
        Changes to the settings of a scenario, as for `particlegvi.run`.

    Returns
    -------
    Page
        ``save(path)`` writes it; a notebook shows it.

    Raises
    ------
    ValueError
        If there is no such scenario or run, if the browser cannot compute the flow of a scenario, or an argument is
        wrong.
    """
    folder = subject if isinstance(subject, str | os.PathLike) and Path(subject).is_dir() else None
    if isinstance(subject, Runs) or folder is not None:
        for key in settings:
            raise ValueError(f"{key} must be left out: a run that is done keeps its settings")
        from particlegvi.pages.replays import page_of_runs  # reads results as figures do, and loads matplotlib

        runs = subject if isinstance(subject, Runs) else load(Path(os.fspath(subject)))  # type: ignore[arg-type]
        return page_of_runs(runs, frames, live, language)
    if not arguments.flag("live", live):
        raise ValueError("live must be true for a scenario, which has no run to replay, not false")
    complete = scenario.load(subject, settings)
    return page_of_scenario(complete, kinds.build(complete), seed, language)
