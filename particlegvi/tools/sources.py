"""The code of this process: versions of packages, a digest of the package's sources, and the parts from outside.

The version of the package stays for months while its code is edited, so the code is told by a digest of its sources.
A part from outside that a scenario names is noted beside the versions: ``"losses ripples": "my-package 1.0"``.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from types import FunctionType, ModuleType

from particlegvi.tools import plugins
from particlegvi.tools.quoting import plain, shown
from particlegvi.version import __version__

PACKAGE = Path(__file__).resolve().parents[1]
# They draw, ask and tell, after the numbers are there or beside them; an edit in them changes no file that is compared.
AFTER_THE_NUMBERS = ("cli/", "pages/", "plotting/", "tools/export/", "tools/words/", "verification/")
REQUIREMENT = re.compile(r"[A-Za-z0-9._-]+")  # the name at the beginning of a requirement
DIGEST = ", digest "  # follows the note of a part: that of the file where it is defined
# Libraries that parts from outside may use, by module: their versions count where a part uses them.
LIBRARIES = {"jax": "jax", "torch": "torch", "sklearn": "scikit-learn", "numpyro": "numpyro", "pymc": "pymc"}
OF_LOSSES = {"JAX": ["jax"], "PyTorch": ["torch"], "NumPyro": ["numpyro", "jax"], "PyMC": ["pymc"]}  # by kind of loss
SOURCES = "sources"  # the key of the digest, in manifests and beside the versions of a sweep


def versions() -> dict[str, str]:
    """Version by package, and Python's."""
    own = {"particlegvi": __version__, "python": platform.python_version()}
    return own | {name: _installed(name) for name in ("numpy", "scipy", "numba", "finufft")}


@cache
def _installed(name: str) -> str:
    return metadata.version(name)


def libraries(content: object, kind: str = "") -> dict[str, str]:
    """Versions of the `LIBRARIES` that the parts from outside use which a scenario names, and a loss of this kind.

    A package says by its requirements which it uses, and a file by the modules whose names it has.
    """
    used = set(OF_LOSSES.get(kind, ()))
    for key in notes(content):
        place = plugins.origins(*key.split(" ", 1))[0]
        if place.distribution:
            needs = [REQUIREMENT.match(need) for need in metadata.requires(place.distribution) or ()]
            used |= {need[0].lower().replace("_", "-") for need in needs if need}
        else:
            held = vars(sys.modules.get(place.module, sys)).values()
            modules = [each.__name__ for each in held if isinstance(each, ModuleType)]
            modules += [each.__module__ for each in held if isinstance(each, type | FunctionType)]
            used |= {LIBRARIES.get(module.partition(".")[0], "") for module in modules}
    return {name: version for name in sorted(used & set(LIBRARIES.values())) if (version := _known_version(name))}


def _known_version(name: str) -> str:
    """The version of a library; empty where it is not installed."""
    try:
        return _installed(name)
    except metadata.PackageNotFoundError:
        return ""


@cache
def sources() -> str:
    """Digest of the package's sources that can change a saved number: all but `AFTER_THE_NUMBERS`."""
    digest = hashlib.sha256()
    for place, folders, names in os.walk(PACKAGE):
        folders.sort()
        room = place[len(str(PACKAGE)) + 1 :].replace(os.sep, "/")
        for name in sorted(file_name for file_name in names if file_name.endswith(".py")):
            inside = f"{room}/{name}" if room else name
            if not inside.startswith(AFTER_THE_NUMBERS):
                with open(os.path.join(place, name), "rb") as file:
                    content = file.read()
                digest.update(f"{inside} {len(content)} ".encode())
                digest.update(content)
    return digest.hexdigest()[:16]


def decisive(scenario: object = None) -> dict[str, str]:
    """The versions that numbers depend on, and the digest of the sources: they name the cells of a sweep.

    With the `notes` of the parts from outside that a scenario names, and the `libraries` that these use.
    """
    return versions() | libraries(scenario) | {SOURCES: sources()} | notes(scenario)


def changed(then: Mapping[str, object]) -> tuple[str, str] | None:
    """The first version, the sources, or the part from outside, in which this process differs: both in words.

    Python's own version does not reach the numbers. Where ``then`` names no sources, as in early folders, only versions
    are compared.
    """
    used = {name: _known_version(name) or "none" for name in LIBRARIES.values() if name in then}
    here = versions() | used | {SOURCES: sources()}
    for name, now in here.items():
        before = then.get(name, "none")
        if name == "python" or before == now or (name == SOURCES and SOURCES not in then):
            continue
        if name == SOURCES:
            return f"other sources of particlegvi (digest {str(before)[:16]})", f"digest {now}"
        return f"{name} {before}", now
    for key, note in then.items():
        here_now = note_now(key) if is_note(key) else ""
        both = DIGEST in here_now and DIGEST in str(note)
        if is_note(key) and (here_now != note if both else _owner(here_now) != _owner(note)):
            kind, name = key.split(" ", 1)
            before = plain((str(note) if both else _owner(note))[:100])
            return f"{shown(name)} (particlegvi.{kind}) of {before}", f"that of {here_now or 'no package'}"
    return None


def notes(content: object) -> dict[str, str]:
    """The notes of all parts from outside that a scenario names and this process knows. Nothing is imported."""
    words = set(_words(content))
    by_key = {f"{kind} {name}": note_now(f"{kind} {name}") for kind, name in plugins.known() if name in words}
    return {key: origin for key, origin in sorted(by_key.items()) if origin}


def note_now(key: str) -> str:
    """The note of a key in this process; empty where the part is not there."""
    places = plugins.origins(*key.split(" ", 1)) if is_note(key) else []
    return f"{places[0]}{_digest_of_file(places[0])}" if places else ""


def _digest_of_file(place: plugins.Origin) -> str:
    """The digest of a part's file: a package is edited within its version. A script is edited for other reasons."""
    file = None if place.module == "__main__" else plugins.file_of(place.module)
    if file is None or not file.is_file():
        return ""
    return DIGEST + hashlib.sha256(file.read_bytes()).hexdigest()[:16]


def is_note(key: str) -> bool:
    """Whether a key of a table of versions is that of a note: names of packages have no space."""
    return " " in key


def check_there(folder: Path, noted: Mapping[str, str]) -> None:
    """Refuse, with a sentence that says what to install, a folder whose parts from outside are not here."""
    for key, note in noted.items():
        if is_note(key) and not note_now(key):
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
