"""The scenarios by name: the TOML files of the folder ``scenarios``, and those of installed packages.

This file needs the standard library only, so that ``particlegvi list`` is fast.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from particlegvi.tools import plugins
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import unknown


def folder() -> Path:
    """The folder of the scenario files: inside an installed package, beside the package in a checkout."""
    here = Path(__file__).resolve().parent
    inside = here / "files"
    return inside if inside.is_dir() else here.parents[1] / "scenarios"


def names(kind: str | None = None) -> list[str]:
    """The names of all scenarios, or of the scenarios of one kind ("particles", ...), in alphabetical order."""
    every = sorted({*ours(), *plugins.scenarios()})
    if kind is not None and not isinstance(kind, str):
        raise refuse("kind", kind, "the name of a kind of scenario, or left out")
    return every if kind is None else [name for name in every if _kind(name) == kind]


def ours() -> dict[str, Path]:
    """The files of the scenarios that come with the package, by name."""
    return {path.stem: path for path in folder().glob("*.toml")}


def has(name: object) -> bool:
    """Whether a scenario has this name."""
    return isinstance(name, str) and (name in ours() or name in plugins.scenarios())


def path(name: str) -> Path:
    """The file of a scenario; one of the package comes before all others.

    A ValueError if no scenario has this name (the nearest one is suggested), or two installed packages have one.
    """
    if not has(name):
        raise unknown("scenario", name, names())
    return ours().get(name) or plugins.scenario(name)


def entries() -> list[dict[str, str]]:
    """Name, title and source of every scenario, as ``particlegvi list --json`` prints them."""
    contents = {name: _content(name) for name in names()}
    return [{"name": name} | {key: str(content.get(key, "")) for key in ("title", "source")}
            for name, content in contents.items()]  # fmt: skip


def _content(name: str) -> dict[str, object]:
    """The content of a file; of one of another package that cannot be read, a title that says so."""
    try:
        return tomllib.loads(path(name).read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        if name in ours():
            raise
        return {"title": f"cannot be read: {' '.join(str(error).split())}", "kind": ""}


def _kind(name: str) -> str:
    content, visited = _content(name), {name}
    while "kind" not in content and "based_on" in content and content["based_on"] not in visited:
        visited.add(str(content["based_on"]))
        content = _content(str(content["based_on"]))
    return str(content.get("kind", "particles"))
