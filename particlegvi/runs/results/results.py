"""The runs of a scenario, and their folder: `Results.save` writes it, and `load` reads it."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

import numpy as np

from particlegvi.contracts import Facts, Loss, Progress, Record
from particlegvi.losses.loss import Loss as PackageLoss
from particlegvi.runs.results.runs import Runs
from particlegvi.runs.storage.checkpoint import unfinished
from particlegvi.runs.storage.creating import create
from particlegvi.runs.storage.folder import Folder, open_folder
from particlegvi.runs.storage.manifest import PICTURES, SCENARIO, FolderContent, difference, warn_of_other_code
from particlegvi.scenario import check, decisive, kinds, text
from particlegvi.scenario.kinds.kind import Job
from particlegvi.scenario.kinds.particles import entries
from particlegvi.scenario.kinds.particles.building import Parts
from particlegvi.simulation.storage import MemoryStorage
from particlegvi.tools.files import Unreadable
from particlegvi.tools.objects import loss as check_loss
from particlegvi.tools.progress import tell
from particlegvi.tools.quoting import as_argument
from particlegvi.tools.sources import check_there, libraries, notes, versions


class Results(Runs):
    """The runs of a scenario by the label of their method, in the scenario's order.

    Attributes
    ----------
    folder : Path or None
        The folder in which they are saved.
    pictures : list of str
        The names of the pictures in the folder.
    """

    def __init__(
        self, scenario: dict[str, Any], parts: Any, seed: int, folder: Path | None = None, status: str = "finished"
    ) -> None:
        super().__init__(kinds.of(scenario), scenario, parts, seed, status)
        self.folder = folder
        self.pictures: list[str] = []

    @property
    def place(self) -> Path | None:
        return self.folder

    def at(self, record: int) -> Self:
        moment = super().at(record)
        moment.folder, moment.pictures = None, []  # the folder holds the whole run
        return moment

    def attributes(self) -> Facts:
        return super().attributes() | {"scenario.toml": text(self.scenario)}

    def take_summary(self, summary: Facts | None) -> None:
        """Use a stored summary, so that it is not computed again; a ValueError if a table cannot be made of it."""
        self._summary = self.kind.checked(summary)
        if summary is not None:
            try:
                self.describe(), self.table(), self._repr_html_()
            except (TypeError, LookupError, AttributeError) as error:
                raise ValueError(f"{type(error).__name__} {error}") from None

    def add_stored(self, label: str, record: Record) -> None:
        """Add the run of a record in the folder; a ValueError that names the folder if the record is damaged."""
        place = self.folder
        assert place is not None
        job = Job(self.parts, self.scenario, label, self.seed, MemoryStorage(), place, None)
        try:
            self.add(label, self.kind.unpacked(job, record))
        except Unreadable:
            raise
        except (LookupError, ValueError, TypeError) as error:
            raise ValueError(f"{place} is damaged: {label}: {error}") from None

    def folder_content(self) -> FolderContent:
        """The first content of a folder of these results."""
        scenario = self.scenario
        return FolderContent(
            scenario["name"], text(scenario), decisive(scenario), self.seed,
            versions() | libraries(scenario), self.labels, notes(scenario),
        )  # fmt: skip

    def save(self, folder: str | os.PathLike[str], overwrite: bool = False) -> Path:
        """Write the runs into a new folder, from which `load` reads them bit for bit."""
        made = create(folder, self.folder_content(), overwrite)
        try:
            for label, run in self.items():
                made.add(label, self.kind.packed(run), run.info.get("seconds"), order=self.labels)
            made.write_summary(self.summary)
            made.update(status=self.summary["status"])
        finally:
            made.release()
        self.folder = made.path
        return made.path

    def draw_pictures(self, progress: Progress | None = None, style: Facts | None = None) -> list[Path]:
        """Draw the figures of the scenario into the folder, with settings of style (`plotting.draw`)."""
        from particlegvi import plotting

        folder = self.folder
        if folder is None:
            raise ValueError("results must be saved in a folder to be drawn into it; results.save(folder) does so")
        if self.scenario["figures"]:
            tell(progress, "pictures", total=len(self.scenario["figures"]))
        try:
            return plotting.draw(self, folder, style)
        except ValueError as error:
            mend = f"change [[figures]] in {folder / 'scenario.toml'} and say: particlegvi plot {as_argument(folder)}"
            raise ValueError(f"the results are in {folder}, but a figure cannot be drawn: {error}; {mend}") from None

    def note_pictures(self, pictures: Iterable[Path]) -> None:
        """Write the names of pictures in the folder into the manifest, so that overwriting the folder removes them."""
        pictures = [picture for picture in pictures if picture.parent == self.folder and picture.suffix in PICTURES]
        if self.folder is not None and pictures:
            folder = open_folder(self.folder)
            try:
                folder.take()
            except ValueError:  # another process is writing, and will note the same pictures
                return
            try:
                self.pictures = sorted({*folder.manifest["figures"], *(picture.name for picture in pictures)})
                folder.update(figures=self.pictures)
            finally:
                folder.release()


class Comparison(Results):
    """Runs by label from one start and with one noise, of parts that were handed in as entries.

    It has all of `Results`. Its ``scenario`` says what was compared; once it has a folder, with an entry for each part.
    """

    @property
    def name(self) -> str:
        """The name of the loss."""
        return str(self.parts.loss.name)

    def folder_content(self) -> FolderContent:
        self.scenario = check(entries.complete(self.scenario, self.parts))
        arrays = {"initial": self.parts.initial, "reference": self.parts.reference}
        handed_in = {
            entries.name_of_array(key, array): array for key, array in arrays.items() if isinstance(array, np.ndarray)
        }
        loss = self.parts.loss
        used = libraries(self.scenario, loss.kind if isinstance(loss, PackageLoss) else "")
        return super().folder_content()._replace(arrays=handed_in, versions=versions() | used)


def load(folder: str | os.PathLike[str], loss: Loss | None = None) -> Results:
    """Load the results that `run`, `Results.save` or a command has saved: see `particlegvi.load`.

    Loss, prior and methods are made from the scenario in the folder. An unfinished run has the methods that are done,
    and the records of the next method up to its last checkpoint.
    """
    while True:
        stored = open_folder(folder)
        try:
            return _load(stored, loss)
        except ValueError:
            if open_folder(folder).manifest == stored.manifest:
                raise  # no process has changed the folder meanwhile: the folder itself is wrong


def _load(stored: Folder, loss: Loss | None) -> Results:
    manifest = stored.manifest
    check_there(stored.path, manifest.get("parts", {}))
    warn_of_other_code(stored.path, manifest)
    # "simulated": only the pictures are missing; load it as finished
    results = opened(stored, "finished" if manifest["status"] == "simulated" else manifest["status"], loss=loss)
    for label in results.labels:
        done = label in manifest["methods"]
        record = stored.record(label) if done else unfinished(stored, label)
        if record is not None:
            results.add_stored(label, record)
    try:
        results.take_summary(stored.summary())
    except ValueError as error:
        raise ValueError(f"{stored.path / 'summary.json'} is damaged: {error}") from None
    return results


def opened(stored: Folder, status: str, content: dict[str, Any] | None = None, loss: Loss | None = None) -> Results:
    """Results of a folder, still without runs; ``content`` is its scenario, if the caller has read it already.

    ``loss`` is the loss of a run that was begun with a loss in functions of Python.
    """
    # the settings differ if another run has taken over the folder since ``content`` was read
    if content is None or decisive(content) != stored.manifest["settings"]:
        content = stored_scenario(stored)
    parts = kinds.build(content)
    if isinstance(parts, Parts):
        parts = _with_given(stored, content, parts, loss)
    elif loss is not None:
        raise ValueError(f"loss must be left out: {stored.path} has its own")
    results = Results(content, parts, stored.manifest["seed"], stored.path, status)
    results.pictures = list(stored.manifest["figures"])
    return results


def _with_given(stored: Folder, content: Facts, parts: Parts, loss: Loss | None) -> Parts:
    """The parts of a folder with the arrays in it, and with the loss that its user hands in again."""
    known = content["loss"]
    if loss is not None:
        if "given" not in known:
            raise ValueError(f"loss must be left out: {stored.path} has its own, {parts.loss.name}")
        entries.check_same(stored.path, known, check_loss(loss, for_run=True))
        parts = parts._replace(loss=loss)  # type: ignore[arg-type]  # any loss will do
    if "array" in content.get("initial", {}):
        parts = parts._replace(initial=stored.given("initial"))
    return parts._replace(reference=stored.given("reference"))


def stored_scenario(stored: Folder) -> Facts:
    """The complete scenario of a folder, checked as strictly as any other file.

    A ValueError if it is missing or damaged, or a setting differs from that of the run; the message names the key.
    """
    place, settings = stored.path / SCENARIO, stored.manifest["settings"]
    scenario = complete(place, stored.text())
    # Both are completed, because earlier versions did not store every default.
    changed = difference(decisive(check(settings)), decisive(scenario))
    if changed is not None:
        key, before, after = changed
        raise ValueError(f"{place} has changed since the run began: {key} is {after!r:.60}, and was {before!r:.60}")
    return scenario


def complete(place: Path, content: str) -> Facts:
    """The complete scenario in a file ``scenario.toml``; a ValueError that names the file if it is not complete."""
    try:
        return check(tomllib.loads(content.removeprefix("\ufeff")))  # the mark that Notepad puts before the text
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{place} is not a complete scenario: {error}") from None
