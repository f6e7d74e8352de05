"""A film of a scenario, of a file or of the folder of a run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from particlegvi import scenario
from particlegvi.contracts import Listening, Scenario
from particlegvi.plotting import films
from particlegvi.runs.execute import execute, prepared_results
from particlegvi.runs.results import load
from particlegvi.scenario import catalogue
from particlegvi.tools.objects import check_listening
from particlegvi.tools.patience import listening

FILM = ("frames", "seconds", "width", "even", "loop", "overwrite")  # the settings of a film
RECORDS = 600  # of a run that is simulated for a film: half of 120 frames show a tenth of the time


def animate(
    source: str | os.PathLike[str] | Scenario,
    out: str | os.PathLike[str] | None = None,
    figure: str | None = None,
    *,
    seed: int | None = None,
    overrides: Mapping[str, object] | None = None,
    progress: Listening = "auto",
    **options: Any,
) -> Path:
    """Film a run: of the folder where it is, or of a scenario, which is simulated first and not saved.

    The run is recorded often enough for a smooth film, unless ``overrides`` or a scenario of particles has
    ``record_every``.

    Parameters
    ----------
    source : str, path or mapping
        Folder of a run, or the name of a scenario, the path of a TOML file or the content of one.
    out, figure, progress : optional
        As for `particlegvi.runs.results.Results.animate`.
    seed : int, optional
        The seed of the run of a scenario; 0 when left out.
    overrides : mapping, optional
        Values for keys of the scenario, such as ``{"methods.DRLE.kl_weight": 0.3}``.
    **options
        ``frames``, ``seconds``, ``width``, ``even``, ``loop`` and ``overwrite`` of
        `particlegvi.runs.results.Results.animate`, and options of the figure.

    Returns
    -------
    Path
        The file of the film.
    """
    check_listening(progress)
    if isinstance(source, str | os.PathLike) and is_folder(source):
        if seed is not None or overrides:
            raise ValueError(f"seed and settings must be left out for {os.fspath(source)}, which is a finished run")
        return load(source).animate(out, figure, progress=progress, **options)
    settings = scenario.load(source, dict(overrides or {}))
    film = {name: value for name, value in options.items() if name in FILM}
    entry = films.figure_for(settings, figure, {name: options[name] for name in options if name not in FILM})
    chosen = figure if entry is None else entry["kind"]
    path = films.file_beside(None, settings["name"], chosen or "film") if out is None else out
    films.FilmSettings(path, **film)  # refuses before anything is simulated
    often = max(1, settings.get("steps", 0) // RECORDS)
    if settings.get("kind", "particles") == "particles" and "steps" in settings:
        settings.setdefault("record_every", often)
    if settings.get("kind") == "networks" and "record_every" not in (overrides or {}):
        settings["record_every"] = often  # its own keeps the folder of a run small, and a film has no folder
    with listening(progress) as reporter:
        results = execute(prepared_results(settings, 0 if seed is None else seed), reporter)
        return results.animate(path, chosen, progress=reporter, **options)


def is_folder(source: str | os.PathLike[str]) -> bool:
    """Whether ``source`` is the folder of a run. A folder with the name of a scenario is one if it has a manifest."""
    if not os.path.isdir(source):
        return False
    return not catalogue.has(os.fspath(source)) or os.path.isfile(os.path.join(source, "manifest.json"))
