"""Parts from outside the package, by kind and name: those of installed packages, and those registered in this process.

An installed package names its parts as entry points, one group for each kind: ``particlegvi.losses``, and so on. They
are looked for when a name is asked for that the package does not have, and a part is imported when its own name is
asked for. A file of data can name a part, and never code to load.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Container, Iterable
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from particlegvi.tools.quoting import plain, short, shown

if TYPE_CHECKING:  # importing it takes longer than all else here
    from importlib.metadata import EntryPoint

Part = TypeVar("Part")
PREFIX = "particlegvi."
# Where the registry of a kind is, and the name of the kind in the groups of entry points.
KINDS = {
    "particlegvi.losses": "losses",
    "particlegvi.kernels": "kernels",
    "particlegvi.priors": "priors",
    "particlegvi.methods": "methods",
    "particlegvi.integrators": "integrators",
    "particlegvi.datasets": "datasets",
    "particlegvi.integrators.schedules": "schedules",
    "particlegvi.functionspace.covariances": "covariances",
    "particlegvi.functionspace.likelihoods": "likelihoods",
    "particlegvi.functionspace.selection": "selections",
    "particlegvi.plotting": "figures",
    "particlegvi.scenario.kinds": "kinds",
    "particlegvi.scenario.kinds.functions.methods": "function-methods",
    "particlegvi.scenario.kinds.particles.facts": "facts",
    "particlegvi.scenario.kinds.functions.facts": "facts",
    "particlegvi.scenario.kinds.networks.facts": "facts",
    "particlegvi.scenario.tables.functions.models": "models",
    "particlegvi.verification.claims": "claims",
}
SCENARIOS = "scenarios"  # the group of packages with TOML files


class Origin(NamedTuple):
    """Where a part comes from. ``distribution`` and ``version`` are empty for one that this process registered."""

    kind: str
    name: str
    module: str
    distribution: str = ""
    version: str = ""

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}" if self.distribution else f"the module {self.module}"


_registered: dict[tuple[str, str], object] = {}
_imported: dict[tuple[str, str], object] = {}  # of installed packages
_refused: dict[tuple[str, str], str] = {}
loaded_files: dict[str, str] = {}  # of modules that `load_file` has run


@cache
def installed() -> dict[str, dict[str, list[EntryPoint]]]:
    """The entry points of every kind, by name; of one name there may be several. Nothing is imported."""
    from importlib import metadata

    every = metadata.entry_points()
    groups: dict[str, dict[str, list[EntryPoint]]] = {}
    for group in every.groups:
        if group.startswith(PREFIX):
            for entry in every.select(group=group):
                groups.setdefault(group.removeprefix(PREFIX), {}).setdefault(entry.name, []).append(entry)
    return groups


def names(kind: str) -> list[str]:
    """The names of the parts of a kind."""
    return [*installed().get(kind, {}), *(name for group, name in _registered if group == kind)] if kind else []


def known() -> set[tuple[str, str]]:
    """Kind and name of every part."""
    every = {(kind, name) for kind, entries in installed().items() if kind != SCENARIOS for name in entries}
    return every | set(_registered)


def registered() -> list[Origin]:
    """The parts that this process has registered."""
    return [Origin(kind, name, part.__module__) for (kind, name), part in sorted(_registered.items())]


def refuse_later(kind: str, name: str, why: str) -> None:
    """Refuse a name with this sentence when it is asked for: in a process that cannot have the part."""
    _refused[kind, name] = why


def origins(kind: str, name: str) -> list[Origin]:
    """Where the parts of this name come from; no import is needed. A ValueError after `refuse_later` of it."""
    if (kind, name) in _refused and (kind, name) not in _registered:
        raise ValueError(_refused[kind, name])
    entries = installed().get(kind, {}).get(name, [])
    places = [Origin(kind, name, entry.module, *_distribution(entry)) for entry in entries]
    if (kind, name) in _registered:
        places.append(Origin(kind, name, _registered[kind, name].__module__))
    return places


def _distribution(entry: EntryPoint) -> tuple[str, str]:
    return (entry.dist.name, entry.dist.version) if entry.dist is not None else ("", "")


def find(kind: str, name: object, noun: str) -> object:
    """The part of this name, or None; ``noun`` is the kind in errors, "loss".

    A ValueError if two packages give this name, or the part cannot be imported or is none.
    """
    if not kind or not isinstance(name, str):
        return None
    place = kind, name
    if place not in _registered and place not in _imported:
        places = origins(kind, name)
        if not places:
            return None
        if len(places) > 1:
            raise _given_twice(noun, name, places)
        _imported[place] = imported(installed()[kind][name][0], noun)
    return _registered.get(place, _imported.get(place))


def imported(entry: EntryPoint, noun: str) -> object:
    """Load the object of an entry point; a ValueError of one sentence, which names the distribution, if that fails."""
    owner = f'the {noun} "{entry.name}" of {" ".join(_distribution(entry))}'
    try:
        part = entry.load()
    except Exception as error:
        raise ValueError(f"{owner} cannot be used: {entry.value} fails with {_told(error)}") from error
    if name_of(part) != entry.name:
        raise ValueError(f'{owner} cannot be used: {entry.value} must have name = "{entry.name}", as its entry point')
    return part


def _told(error: Exception) -> str:
    return short(plain(" ".join(f"{type(error).__name__}: {error}".split())), 200)


def problem(kind: str, name: str) -> str:
    """The fault of a part, in a sentence; empty if it can be used."""
    try:
        find(kind, name, "part")
    except ValueError as error:
        return str(error)
    return ""


@cache
def scenarios() -> dict[str, dict[Path, Origin]]:
    """The files of scenarios of installed packages by name; a package whose folder is not there has none."""
    files: dict[str, dict[Path, Origin]] = {}
    for entry in (entry for entries in installed().get(SCENARIOS, {}).values() for entry in entries):
        for file in _folder(entry).glob("*.toml"):
            files.setdefault(file.stem, {})[file] = Origin(SCENARIOS, file.stem, entry.value, *_distribution(entry))
    return files


def _folder(entry: EntryPoint) -> Path:
    try:
        specification = importlib.util.find_spec(entry.value)
    except Exception:  # of a package above it
        specification = None
    places = specification.submodule_search_locations if specification is not None else None
    return Path(next(iter(places))) if places else Path(os.devnull)


def scenario(name: str) -> Path:
    """The file of a scenario of an installed package; a ValueError if two packages have one of this name."""
    files = scenarios()[name]
    if len(files) > 1:
        raise _given_twice("scenario", name, files.values())
    return next(iter(files))


def _given_twice(noun: str, name: str, origins: Iterable[Origin]) -> ValueError:
    owners = " and by ".join(map(str, origins))
    return ValueError(f'the name "{name}" of a {noun} is given by {owners}: uninstall one of them')


def name_of(part: object) -> str | None:
    """The name of a part, or None if this is none."""
    name = getattr(part, "name", None)
    return name if isinstance(name, str) and callable(part) else None


def register(kind: str, noun: str, part: Part, ours: Container[str]) -> Part:
    """Make a part known by its ``name`` in this process. Its module may register the name again.

    A ValueError if it has no name, or one that the package, another module or an installed package has given.
    """
    name = name_of(part)
    if not kind or name is None:
        raise ValueError(f"the {noun} to register must be a class or a function with a name, not {shown(part)}")
    _refused.pop((kind, name), None)
    others = [str(origin) for origin in origins(kind, name) if origin.distribution or origin.module != part.__module__]
    owners = ["particlegvi", *others] if name in ours else others
    if owners:
        raise ValueError(f'the {noun} "{name}" must have another name: {owners[0]} has this one')
    _registered[kind, name] = part
    return part


def load_file(place: str) -> None:
    """Run a file of Python that registers parts, as the module of its name; a second time it does nothing."""
    path = Path(place)
    name = path.stem
    if path.suffix != ".py" or not name.isidentifier() or (path.exists() and not path.is_file()):
        raise ValueError(f"--parts must be the path of a module such as my_parts.py, not {shown(place)}")
    known_file = file_of(name)
    if name == "__main__" or known_file not in (None, path.resolve()):
        raise ValueError(f"--parts must be a file with another name than {path.name}, which Python has already")
    if name in sys.modules:
        return
    specification = importlib.util.spec_from_file_location(name, path.resolve())
    assert specification is not None and specification.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(specification)
    before = dict(_registered)
    try:
        specification.loader.exec_module(module)
        _check_registered(place, module, before)
    except Exception as error:
        del sys.modules[name]
        if isinstance(error, OSError):
            raise ValueError(f"{place} cannot be read: {error.strerror}") from None
        if isinstance(error, Unregistered):
            raise
        raise ValueError(f"{place} fails with {_told(error)}") from error
    loaded_files[name] = str(path.resolve())


class Unregistered(ValueError):
    """A file of `load_file` registers nothing, or not all of its facts."""


def _check_registered(place: str, module: ModuleType, before: dict[tuple[str, str], object]) -> None:
    """Refuse a file that would be used without effect: a part has a name only once it is registered."""
    kinds = "register of pg.losses, pg.kernels, pg.priors, pg.methods, pg.integrators and the others"
    for value in vars(module).values():
        name = name_of(value) if isinstance(value, FunctionType) and "forms" in vars(value) else None
        if name and ("facts", name) not in _registered:
            way = "put @facts.register of particlegvi.scenario.kinds.particles.facts above it"
            raise Unregistered(f"{place} marks the fact {name} and does not register it; {way}")
    if _registered == before:
        raise Unregistered(f"{place} must register its parts (the function {kinds} does so); it registers none")


def file_of(module: str) -> Path | None:
    """The file of a module, imported or not; None if there is no such module, and an empty path if it has no file."""
    try:
        specification = importlib.util.find_spec(module)
    except Exception:  # of a script, of a notebook, or of a package above it
        return Path(vars(sys.modules.get(module, sys)).get("__file__", ""))
    return None if specification is None else Path(specification.origin or "").resolve()
