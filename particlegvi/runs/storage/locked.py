"""A folder with a manifest that one process at a time may write: the base of the folders of runs and of sweeps."""

from __future__ import annotations

from pathlib import Path

from particlegvi.contracts import Facts
from particlegvi.runs.storage.lock import Lock
from particlegvi.tools import files

SCENARIO, MANIFEST = "scenario.toml", "manifest.json"


class LockedFolder:
    """A folder that exists, with its lock once it is held.

    Attributes
    ----------
    path : Path
    manifest : dict
        The content of ``manifest.json``.
    """

    def __init__(self, path: Path, manifest: Facts, lock: Lock | None = None) -> None:
        self.path = path
        self.manifest = manifest
        self._lock = lock

    def update(self, **entries: object) -> None:
        """Change entries of the manifest and write it."""
        self.manifest.update(entries)
        files.write_json(self.path / MANIFEST, self.manifest)

    def restore_scenario(self, text: str) -> None:
        """Write ``scenario.toml`` if somebody has removed it; a file that is there stays as it is."""
        if not (self.path / SCENARIO).exists():
            files.write_text(self.path / SCENARIO, text)

    def release(self) -> None:
        """Give the lock back."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None
