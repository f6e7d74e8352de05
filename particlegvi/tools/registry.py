"""Registries: a registry imports the small files of one package and finds the parts in them by name.

A part is any class or function defined at the top of a module of that package whose ``name`` attribute is a
string. Adding a part is therefore adding a file; nothing else has to be edited. A name that the package does not have
is looked for outside of it (`particlegvi.tools.plugins`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

from particlegvi.tools import plugins
from particlegvi.tools.quoting import shown

Function = TypeVar("Function", bound=Callable[..., Any])
Part = TypeVar("Part")
TAKEN = "it is not used: particlegvi has one of this name"


def named(name: str, **facts: Any) -> Callable[[Function], Function]:
    """Decorate a function that is a part: ``name`` is its name in the registry, ``facts`` are more attributes of it."""

    def mark(function: Function) -> Function:
        vars(function).update(name=name, **facts)
        return function

    return mark


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like ``word``, or None when none comes near.

    Case, underscores and spaces do not count, so "Double_Well" finds "double-well"; a name that the word begins comes
    first, so "euler" finds "euler-maruyama" and not "exponential-euler".
    """
    import difflib  # only a wrong name needs it, and the command line starts without

    plain = {_plain(name): name for name in known}
    begun = [name for name in plain if name.startswith(_plain(word) + "-")]
    matches = difflib.get_close_matches(_plain(word), begun or plain, n=1, cutoff=0.0 if begun else 0.5)
    return plain[matches[0]] if matches else None


def _plain(word: str) -> str:
    return word.lower().replace("_", "-").replace(" ", "-")


def unknown(kind: str, word: object, known: Iterable[str], meant: str = "") -> ValueError:
    """The error, ready to raise, for a name that does not exist: one sentence with the nearest right one.

    ``kind`` names the thing in the singular ("loss", "key", "parameter of double-well"); ``meant`` is the right
    name, if it is known, and is printed unchanged.
    """
    names = list(known)
    if not names:
        return ValueError(f"there is no {kind} {shown(word)}: none exists")
    match = nearest(word, names) if isinstance(word, str) and not meant else None
    meant = shown(match) if match else meant
    hint = f"did you mean {meant}? " if meant else ""
    listed = ", ".join(names[:24]) + (", ..." if len(names) > 24 else "")
    return ValueError(f"there is no {kind} {shown(word)}; {hint}allowed: {listed}")


def look_up(kind: str, word: object, table: Mapping[str, Any]) -> Any:
    """``table[word]``, or the error of `unknown`."""
    return table[one_of(kind, word, table)]


def one_of(kind: str, word: object, words: Iterable[str]) -> str:
    """The word, or the error of `unknown` where it is none of the words."""
    known = list(words)
    if isinstance(word, str) and word in known:
        return word
    raise unknown(kind, word, known)


def listed(kind: str, table: Mapping[str, Part]) -> tuple[Callable[[], list[str]], Callable[[object], Part]]:
    """The functions ``names`` and ``get`` of the parts in a table."""

    def names() -> list[str]:
        """The names of all parts, in alphabetical order."""
        return sorted(table)

    def get(name: object) -> Part:
        """The part of this name. An unknown name is a ValueError with the nearest right one."""
        part: Part = look_up(kind, name, table)
        return part

    return names, get


def check_parameters(owner: str, words: Iterable[str], allowed: Iterable[str]) -> None:
    """Refuse the first parameter of ``owner`` ("double-well") that is not among the allowed ones."""
    names = list(allowed)
    for word in words:
        if word not in names:
            raise unknown(f"parameter of {owner}", word, names)


class Listed(NamedTuple):
    """A part in a list: its kind, its name, where it comes from, and what is wrong with it, if anything is."""

    kind: str
    name: str
    origin: str
    problem: str = ""


def ours() -> list[Listed]:
    """Every part of the package. It imports every module with parts."""
    packages = plugins.KINDS.items()
    return [Listed(kind, name, "particlegvi") for package, kind in packages for name in Registry(package, "").parts()]


def from_outside() -> list[Listed]:
    """Every part from outside, and the scenarios of installed packages. It imports them all."""
    known = sorted(plugins.known())
    taken = {(part.kind, part.name) for part in ours()} if known else set()
    parts = [
        Listed(kind, name, str(origin), _wrong(kind, name, taken))
        for kind, name in known
        for origin in plugins.origins(kind, name)
    ]
    files = [origin for files_of_one in plugins.scenarios().values() for origin in files_of_one.values()]
    return [*parts, *(Listed(origin.kind, origin.name, str(origin)) for origin in files)]


def _wrong(kind: str, name: str, taken: Container[tuple[str, str]]) -> str:
    if kind not in plugins.KINDS.values():
        return f"there is no kind of part particlegvi.{kind}"
    return TAKEN if (kind, name) in taken else plugins.problem(kind, name)


class Registry(Generic[Part]):
    """The parts of one package by name, imported at the first question, and those of the same kind from outside.

    A package makes its registry and hands on its methods: ``names, get, register = registry.names, registry.make,
    registry.register`` where `get` builds an object from parameters, and ``registry.get`` where it returns the part.

    Parameters
    ----------
    package : str
        Full name of the package whose modules hold the parts, for example ``"particlegvi.losses"``. Modules whose
        names start with an underscore are not read.
    kind : str
        Name of a part in errors, for example ``"loss"``.
    also_called : mapping, optional
        Names from elsewhere, in lower case with hyphens, with the name here that an error suggests for them.
    """

    def __init__(self, package: str, kind: str, also_called: Mapping[str, str] = MappingProxyType({})) -> None:
        self.package = package
        self.kind = kind
        self._also_called = also_called
        self._parts: dict[str, Part] = {}
        self._of = plugins.KINDS.get(package, "")

    def parts(self) -> dict[str, Part]:
        """Every part of this package by name, in alphabetical order."""
        import importlib
        import pkgutil

        if not self._parts:
            parts: dict[str, Any] = {}
            for module in pkgutil.iter_modules(importlib.import_module(self.package).__path__):
                if not module.name.startswith("_"):
                    parts.update(_parts_of(f"{self.package}.{module.name}", parts))
            self._parts = dict(sorted(parts.items()))
        return self._parts

    def names(self) -> list[str]:
        """The names of all parts, those from outside included, in alphabetical order."""
        return sorted({*self.parts(), *plugins.names(self._of)})

    def get(self, name: str) -> Part:
        """The part of this name, a class or a function. An unknown name is a ValueError with the nearest right one."""
        part: Part | None = self._find(name)
        if part is not None:
            return part
        meant = self._also_called.get(_plain(name)) if isinstance(name, str) else None
        raise unknown(self.kind, name, self.names(), shown(meant) if meant else "")

    def _find(self, name: object) -> Any:
        """The part of this name, or None; one of this package comes before all others."""
        part = None if self._parts else self._at_home(name)
        if part is None and isinstance(name, str):
            part = self.parts().get(name) or plugins.find(self._of, name, self.kind)
        return part

    def __contains__(self, name: object) -> bool:
        return self._find(name) is not None

    def register(self, part: Part) -> Part:
        """Make a class or a function known by its attribute ``name``, in this process; also as a decorator over it.

        A ValueError if it has no name, or the name is taken.
        """
        return plugins.register(self._of, self.kind, part, self.parts())

    __getitem__ = get

    def make(self, name: str, **parameters: Any) -> Any:
        """A kernel, prior, schedule, ... of this name, for example ``pg.kernels.get("matern-52", lengthscale=0.5)``.

        The names are ``names()`` of the same package. A parameter with a default may be left out.
        """
        import inspect  # the command line starts without

        part: Any = self.get(name)
        owner, known = f"the {self.kind} {name}", inspect.signature(part).parameters
        check_parameters(owner, parameters, known)
        for key, parameter in known.items():
            if parameter.default is parameter.empty and key not in parameters:
                raise ValueError(f"{key} of {owner} must be given, not left out")
        return part(**parameters)

    def _at_home(self, name: Any) -> Any:
        """The part in the module of its own name, for which no other module is imported; None elsewhere."""
        import importlib.util

        home = name.replace("-", "_") if isinstance(name, str) else ""
        if home.startswith("_") or not home.isidentifier():
            return None
        module = f"{self.package}.{home}"
        return _parts_of(module, {}).get(name) if importlib.util.find_spec(module) else None


def _parts_of(module_name: str, known: Mapping[str, Any]) -> dict[str, Any]:
    """The parts that one module defines itself; parts it merely imports belong elsewhere."""
    import importlib

    parts: dict[str, Any] = {}
    for value in vars(importlib.import_module(module_name)).values():
        name = getattr(value, "name", None) if callable(value) else None
        if isinstance(name, str) and getattr(value, "__module__", None) == module_name:
            if parts.get(name) is value:
                continue
            if name in known or name in parts:
                raise RuntimeError(f'{module_name} defines "{name}", which another module has already defined')
            parts[name] = value
    return parts
