"""``particlegvi.scenarios``: the scenarios that come with the package, by name.

`names`, `path` and `entries` come from the catalogue; `get` reads a scenario.
"""

from __future__ import annotations

from particlegvi.scenario.catalogue import entries, folder, names, path
from particlegvi.scenario.reading import load, text
from particlegvi.tools import html

__all__ = ["entries", "folder", "get", "names", "path"]


class Scenario(dict[str, object]):
    """A complete scenario as plain data, which `particlegvi.run` takes; a notebook shows it as a table."""

    def text(self) -> str:
        """The scenario as a TOML file, with a comment over each key."""
        return text(dict(self))

    def _repr_html_(self) -> str:
        words = ("name", "title", "source", "description")
        head = " - ".join(str(self[key]) for key in words[:2] if self.get(key))
        about = [str(self[key]) for key in words[2:] if self.get(key)]
        settings = {key: value for key, value in self.items() if key not in words and value not in ("", [], None)}
        return html.card(f"Scenario {head}", settings, html.notes(about), html.folded("as a file", self.text()))


def get(name: str, **overrides: object) -> Scenario:
    """A scenario of the package, complete and checked, with values changed as in `particlegvi.run`."""
    path(name)
    return Scenario(load(name, overrides))
