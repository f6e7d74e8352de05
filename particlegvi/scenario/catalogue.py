"""The scenarios that come with the package: the TOML files of the folder ``scenarios``.

This file needs the standard library only, so that ``particlegvi list`` is fast.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from particlegvi.tools.registry import unknown


def folder() -> Path:
    """The folder of the scenario files: inside an installed package, beside the package in a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "scenarios"
    return inside if inside.is_dir() else package.parent / "scenarios"


def names(kind: str | None = None) -> list[str]:
    """The names of all scenarios, or of the scenarios of one kind ("particles", ...), in alphabetical order."""
    every = sorted(path.stem for path in folder().glob("*.toml"))
    return every if kind is None else [name for name in every if _kind(name) == kind]


def path(name: str) -> Path:
    """The file of a scenario; a ValueError that suggests the nearest name if no scenario has this one."""
    known = names()
    if not isinstance(name, str) or name not in known:
        raise unknown("scenario", name, known)
    return folder() / f"{name}.toml"


def entries() -> list[dict[str, str]]:
    """Name, title and source of every scenario, as ``particlegvi list --json`` prints them."""
    return [_entry(name) for name in names()]


def _content(name: str) -> dict[str, object]:
    return tomllib.loads((folder() / f"{name}.toml").read_text(encoding="utf-8"))


def _kind(name: str) -> str:
    content = _content(name)
    while "kind" not in content and "based_on" in content:
        content = _content(str(content["based_on"]))
    return str(content.get("kind", "particles"))


@cache
def _entry(name: str) -> dict[str, str]:
    content = _content(name)
    return {"name": name, "title": str(content.get("title", "")), "source": str(content.get("source", ""))}
