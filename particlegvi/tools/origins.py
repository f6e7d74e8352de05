"""Where the parts from outside that a run uses come from, as its folder notes it: distribution and version.

A note is an entry of a table of versions: ``"losses ripples": "my-package 1.0"``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from particlegvi.tools import plugins
from particlegvi.tools.quoting import plain, shown

DIGEST = ", digest "  # follows in folders of version 0.1.0


def notes(content: object) -> dict[str, str]:
    """The notes of all parts from outside that a scenario names and this process knows. Nothing is imported."""
    words = set(_words(content))
    by_key = {f"{kind} {name}": now(f"{kind} {name}") for kind, name in plugins.known() if name in words}
    return {key: origin for key, origin in sorted(by_key.items()) if origin}


def notes_of_built(content: object) -> dict[str, str]:
    """The `notes` of a scenario whose parts are made: no package is asked if none was asked for them."""
    return notes(content) if plugins.asked() else {}


def now(key: str) -> str:
    """The note of a key in this process; empty where the part is not there."""
    places = plugins.origins(*key.split(" ", 1)) if is_note(key) else []
    return str(places[0]) if places else ""


def is_note(key: str) -> bool:
    """Whether a key of a table of versions is that of a note: names of packages have no space."""
    return " " in key


def changed(noted: Mapping[str, object]) -> tuple[str, str] | None:
    """The first note that is another one in this process: both in words."""
    key = next((key for key, note in noted.items() if is_note(key) and now(key) != _owner(note)), None)
    if key is None:
        return None
    kind, name = key.split(" ", 1)
    then = plain(_owner(noted[key])[:100])
    return f"{shown(name)} (particlegvi.{kind}) of {then}", f"that of {now(key) or 'no package'}"


def check_there(folder: Path, noted: Mapping[str, str]) -> None:
    """Refuse, with a sentence that says what to install, a folder whose parts from outside are not here."""
    for key, note in noted.items():
        if is_note(key) and not now(key):
            kind, name = (plain(word[:80]) for word in key.split(" ", 1))
            owner = plain(_owner(note)[:80])
            module = owner.removeprefix("the module ")
            way = f"install {owner}" if module == owner else f"import {module} first, or say --parts {module}.py"
            raise ValueError(f"{folder} needs {shown(name)} (particlegvi.{kind}) of {owner}, which is not here; {way}")


def _owner(note: object) -> str:
    return str(note).partition(DIGEST)[0]


def _words(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, Mapping):
        yield from content
        yield from _words(list(content.values()))
    elif isinstance(content, Iterable):
        for entry in content:
            yield from _words(entry)
