"""Finished cells: one small JSON file each, written whole or not at all, and valid for one identity alone."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from particlegvi.contracts import Facts
from particlegvi.tools import files


class Store:
    """The folder ``cells`` of a folder.

    A file holds the *identity* of its cell (settings, seed, versions), the result, the seconds that it took, and the
    sha256 of identity and result. A cell that is damaged, or has another identity, counts as not finished.

    ``result`` is the key of the result in a file. A cell survives a killed process, but a machine that is switched off
    may lose it.
    """

    def __init__(self, folder: Path, result: str = "result") -> None:
        self.folder = folder / "cells"
        self._result = result

    def prepare(self) -> None:
        """Make the folder."""
        self.folder.mkdir(parents=True, exist_ok=True)

    def write(self, name: str, identity: Facts, result: Facts, seconds: float) -> None:
        """Keep a finished cell; `FolderLost` where a link is in the place of the folder."""
        files.check_no_link(self.folder)
        content: Facts = {**identity, self._result: result}
        content |= {"seconds": round(seconds, 3), "sha256": self._digest(content, identity)}
        files.write_text(self._place(name), files.json_text(content), flush=False)

    def read(self, name: str, identity: Facts) -> Facts | None:
        """The result of a cell, or None where it is not finished, of another identity, or damaged."""
        content: Facts = {}
        with files.ignoring_damage():
            content = files.read_json(self._place(name))
        if content.get("sha256") != self._digest(content, identity):
            return None
        if any(content.get(key) != value for key, value in identity.items()):
            return None
        result: Facts = content[self._result]
        return result

    def has(self, name: str) -> bool:
        """Whether there is a file of a cell, sound or not."""
        return os.path.lexists(self._place(name))

    def _place(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def _digest(self, content: Facts, identity: Facts) -> str:
        counts = {key: content.get(key) for key in (*identity, self._result)}  # how long it took does not
        return hashlib.sha256(json.dumps(counts, sort_keys=True).encode()).hexdigest()
