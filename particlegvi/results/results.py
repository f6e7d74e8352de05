"""The runs of a scenario, and the folder that they may have."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

from particlegvi import kinds
from particlegvi.contracts import Facts
from particlegvi.results.runs import Runs
from particlegvi.scenario import decisive, text
from particlegvi.storage.creating import create
from particlegvi.storage.folder import open_folder
from particlegvi.storage.manifest import PICTURES, New
from particlegvi.storage.versions import versions


class Results(Runs):
    """The runs of a scenario by the label of their method, in the scenario's order.

    Attributes
    ----------
    folder : Path or None
        Where they are saved.
    pictures : list of str
        The names of the pictures in the folder.
    """

    def __init__(
        self,
        scenario: dict[str, Any],
        parts: Any,
        seed: int,
        folder: Path | None = None,
        status: str = "finished",
    ) -> None:
        super().__init__(kinds.of(scenario), scenario, parts, seed, status)
        self.folder = folder
        self.pictures: list[str] = []

    @property
    def place(self) -> Path | None:
        return self.folder

    def at(self, record: int) -> Self:
        found = super().at(record)
        found.folder, found.pictures = None, []  # what is there is the whole
        return found

    def attributes(self) -> Facts:
        return super().attributes() | {"scenario.toml": text(self.scenario)}

    def describe(self) -> str:
        try:
            return super().describe()
        except (TypeError, LookupError, AttributeError, ValueError) as error:
            if self.folder is None:
                raise
            raise ValueError(f"{self.folder / 'summary.json'} is damaged: {type(error).__name__} {error}") from None

    def take_summary(self, summary: Facts | None) -> None:
        """Take a summary that was stored, so that it is not computed again."""
        self._summary = self.kind.checked(summary)

    def new(self) -> New:
        """The first content of a folder of these results."""
        scenario = self.scenario
        return New(scenario["name"], text(scenario), decisive(scenario), self.seed, versions(), self.labels)

    def save(self, folder: str | os.PathLike[str], overwrite: bool = False) -> Path:
        """Write everything into a new folder, which `load` reads back bit for bit.

        Raises
        ------
        ValueError
            If the folder exists and may not be overwritten, or cannot be made.
        """
        made = create(folder, self.new(), overwrite)
        try:
            for label, run in self.items():
                made.add(label, self.kind.packed(run), run.info.get("seconds"), order=self.labels)
            made.write_summary(self.summary)
            made.update(status=self.status)
        finally:
            made.release()
        self.folder = made.path
        return made.path

    def note_pictures(self, pictures: Iterable[Path]) -> None:
        """Put the names of pictures drawn into the folder on record, so that overwriting the folder removes them."""
        pictures = [each for each in pictures if each.parent == self.folder and each.suffix in PICTURES]
        if self.folder is not None and pictures:
            there = open_folder(self.folder)
            try:
                there.take()
            except ValueError:  # another process is writing: it will note the same pictures, and is not disturbed
                return
            try:
                self.pictures = sorted({*there.manifest["figures"], *(picture.name for picture in pictures)})
                there.update(figures=self.pictures)
            finally:
                there.release()
