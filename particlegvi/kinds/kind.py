"""What every kind of scenario answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from particlegvi.results import Results
    from particlegvi.settings.keys import Key
    from particlegvi.storage.folder import Folder

Progress = Callable[[str, int, int], None]


class Kind:
    """A kind of scenario. It holds no state.

    Importing it must be quick, because every reading of a scenario does: what takes time is imported by the methods.

    Attributes
    ----------
    name : str
        What ``kind = "..."`` says.
    keys : dict of Key
        The keys of such a scenario, in the order in which they are written.
    """

    name: str
    keys: dict[str, Key]

    def complete(self, scenario: dict[str, Any]) -> None:
        """Fill in, before the check of each key, what follows from other keys."""

    def agree(self, scenario: dict[str, Any]) -> None:
        """Refuse checked values that contradict each other, with a ValueError."""

    def labels(self, scenario: Mapping[str, Any]) -> list[str]:
        """What is run one after the other, by the names under which the results have it."""
        return list(scenario["methods"])

    def build(self, scenario: Mapping[str, Any]) -> Any:
        """The parts of a complete scenario, consistent with each other; a ValueError where they are not."""
        raise NotImplementedError

    def ready(self, parts: Any) -> None:
        """Refuse, with a ValueError, what cannot be run here and now, such as with data that are missing."""

    def check_disk(self, scenario: Mapping[str, Any], parts: Any, folder: Path | None, freed: int) -> None:
        """Refuse, with a ValueError that has the estimate, what the disk of a folder has no room for.

        ``freed`` bytes in the folder will be removed before. None stands for temporary files.
        """

    def simulate(
        self,
        results: Results,
        label: str,
        folder: Folder | None,
        progress: Progress | None,
        checkpoint_every: float,
    ) -> None:
        """Run one label and add it to the results and to the folder, whose lock is held; with None write nothing."""
        raise NotImplementedError

    def stored(self, folder: Folder, results: Results, label: str) -> Any:
        """The run of one label, as far as its folder has it, or None; a ValueError if a file of it is damaged."""
        raise NotImplementedError

    def write(self, folder: Folder, label: str, run: Any) -> None:
        """Write a run, which was not simulated into the folder, and name it there as done."""
        raise NotImplementedError

    def settle(self, run: Any) -> None:
        """Make the last changes to a run that the results take in."""

    def targets(self, runs: Mapping[str, Any], parts: Any) -> Any:
        """The truth by label, as far as there is one."""
        return {}

    def facts(self, results: Results, label: str) -> dict[str, Any]:
        """What the summary says about one label."""
        raise NotImplementedError

    def checked(self, summary: dict[str, Any] | None) -> dict[str, Any] | None:
        """A summary that was read from a file; a ValueError where it is not in its form."""
        raise NotImplementedError

    def describe(self, results: Results) -> str:
        """The summary as a table for a terminal, in plain ASCII."""
        raise NotImplementedError
