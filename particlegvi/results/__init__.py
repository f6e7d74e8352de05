"""What a scenario gave: the runs of its methods, the truth beside them, and the numbers worth quoting."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from particlegvi import kinds
from particlegvi.kinds.particles.building import build
from particlegvi.kinds.particles.summary import summarise
from particlegvi.simulation.run import Run
from particlegvi.storage.creating import create
from particlegvi.storage.folder import Folder, Record, open_folder
from particlegvi.storage.versions import versions

__all__ = ["Results", "load"]


class Results(Mapping[str, Any]):
    """The runs of a scenario by the label of their method, in the scenario's order.

    Attributes
    ----------
    scenario : dict
        The complete scenario, as plain data.
    seed : int
    status : str
        "finished", or what else became of the run: "running", "interrupted", "diverged", "failed".
    folder : Path or None
        Where it is saved.
    kind : Kind
        What kind of scenario it is (`particlegvi.kinds`); what is said here of runs is that of particles.
    parts : Parts
        What the scenario stands for: loss, prior, start and methods.
    targets : mapping
        The truth by label, found when first asked for; None where there is none (``targets.reasons`` says why).
    summary : dict
        The numbers worth quoting, as in ``summary.json``; computed when first asked for.
    """

    def __init__(
        self,
        scenario: dict[str, Any],
        parts: Any,
        seed: int,
        runs: Mapping[str, Any] | None = None,
        folder: Path | None = None,
        status: str = "finished",
        summary: dict[str, Any] | None = None,
    ) -> None:
        self.scenario = scenario
        self.seed = seed
        self.status = status
        self.folder = folder
        self._runs: dict[str, Any] = dict(runs or {})
        self._summary = summary
        self.parts = parts
        self.kind = kinds.of(scenario)
        self.targets = self.kind.targets(self._runs, parts)

    def __getitem__(self, label: str) -> Any:
        return self._runs[label]

    def __iter__(self) -> Iterator[str]:
        return (label for label in self.labels if label in self._runs)

    def __len__(self) -> int:
        return len(self._runs)

    def __repr__(self) -> str:
        return f"Results({self.scenario['name']}, seed {self.seed}, {self.status}: {', '.join(self) or 'no runs'})"

    @property
    def labels(self) -> list[str]:
        """The labels of all runs of the scenario, also of those that are not done."""
        return self.kind.labels(self.scenario)

    @property
    def summary(self) -> dict[str, Any]:
        if self._summary is None:
            self._summary = summarise(self)
        return self._summary

    def describe(self) -> str:
        """A table for a terminal: mean, spread and distance to the truth of every method."""
        try:
            return self.kind.describe(self)
        except (TypeError, LookupError, AttributeError, ValueError) as error:
            if self.folder is None:
                raise
            raise ValueError(f"{self.folder / 'summary.json'} is damaged: {type(error).__name__} {error}") from None

    def add(self, label: str, run: Any) -> None:
        """Take in the run of one more method."""
        run.label = label
        self.kind.settle(run)
        self._runs[label] = run
        self._summary = None

    def save(self, folder: str | os.PathLike[str], overwrite: bool = False) -> Path:
        """Write everything into a new folder, which `load` reads back bit for bit.

        Raises
        ------
        ValueError
            If the folder exists and may not be overwritten, or cannot be made.
        """
        made = create(folder, self.scenario, self.seed, versions(), overwrite)
        try:
            for label, run in self.items():
                self.kind.write(made, label, run)
            made.write_summary(self.summary)
            made.update(status=self.status)
        finally:
            made.release()
        self.folder = made.path
        return made.path

    def note_pictures(self, pictures: Iterable[Path]) -> None:
        """Put the names of pictures drawn into the folder on record, so that overwriting the folder removes them."""
        if self.folder is not None:
            there = open_folder(self.folder)
            try:
                there.take()
            except ValueError:  # somebody is writing, who will note the same pictures, and is not to be disturbed
                return
            try:
                there.update(figures=sorted({*there.manifest["figures"], *(picture.name for picture in pictures)}))
            finally:
                there.release()


def recorded(run: Run) -> tuple[Record, float | None]:
    """What a folder keeps of a run, and how long the run took."""
    info = {name: value for name, value in run.info.items() if name != "seconds"}
    return Record(run.positions, run.steps, info), run.info.get("seconds")


def load(folder: str | os.PathLike[str]) -> Results:
    """Results that `run` or the command line has saved.

    Parameters
    ----------
    folder : path
        For example ``runs/global-minimiser``.

    Returns
    -------
    Results
        With the loss, the prior and the methods made anew from the scenario in the folder. A run that is not finished
        has the methods that are.

    Raises
    ------
    ValueError
        If the folder is not a run's, or a file in it is missing or damaged.
    """
    while True:
        there = open_folder(folder)
        try:
            return _load(there)
        except ValueError:
            if open_folder(folder).manifest == there.manifest:
                raise  # whatever is wrong, it is not that somebody was writing meanwhile


def _load(there: Folder) -> Results:
    scenario = there.scenario()
    manifest = there.manifest
    # while only the pictures are missing, all there is to load is there
    status = "finished" if manifest["status"] == "simulated" else manifest["status"]
    results = Results(scenario, build(scenario), manifest["seed"], folder=there.path, status=status)
    for label in results.labels:
        run = results.kind.stored(there, results, label)
        if run is not None:
            results.add(label, run)
    try:
        results._summary = results.kind.checked(there.summary())
    except ValueError as error:
        raise ValueError(f"{there.path / 'summary.json'} is damaged: {error}") from None
    return results
