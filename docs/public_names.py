"""The public interface, one line for each name: `python docs/public_names.py > docs/public-names.txt`.

docs/stability.md says what is promised for these names. tests/test_stability.py compares the lines with the file, so
that no name and no parameter moves by accident.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import particlegvi
from particlegvi.cli import COMMANDS
from particlegvi.tools.registry import Registry


def signature(thing: Any) -> str:
    """The parameters with their defaults. Annotations are left out, as a wider type breaks no caller."""
    try:
        given = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in given.parameters.values()]
    words = str(given.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return re.sub(r"<([\w.]+) object at 0x\w+>", r"\1", words)


def members(thing: type, path: str) -> Iterator[str]:
    """Public methods and properties that a class of the package, or a base of it here, defines."""
    for name in sorted(dir(thing)):
        home = next((base for base in thing.__mro__ if name in vars(base)), None)
        if name.startswith("_") or home is None or not home.__module__.startswith("particlegvi."):
            continue
        member = inspect.getattr_static(thing, name)
        if isinstance(member, (staticmethod, classmethod)) or inspect.isfunction(member):
            yield f"{path}.{name}{signature(getattr(thing, name))}"
        elif isinstance(member, property):
            yield f"{path}.{name}"


def public(module: ModuleType) -> list[str]:
    """The public names of a module, with those that a star import leaves out because they need an extra."""
    return sorted(dir(module) if "__dir__" in vars(module) else module.__all__)


def names(module: ModuleType, path: str) -> Iterator[str]:
    """The lines of a module, and of the modules that it lists."""
    for name in public(module):
        thing = getattr(module, name)
        here = f"{path}.{name}"
        if isinstance(thing, ModuleType):
            yield from names(thing, here) if hasattr(thing, "__all__") else [here]
        elif isinstance(thing, type):
            yield f"{here}{signature(thing)}"
            yield from members(thing, here)
        else:
            yield f"{here}{signature(thing) if callable(thing) else ''}"


def parts() -> Iterator[str]:
    """The names in scenario files: each part of each registry, with its parameters; the sizes of claims are free."""
    for found in pkgutil.walk_packages(particlegvi.__path__, "particlegvi."):
        if found.ispkg:
            for value in list(vars(importlib.import_module(found.name)).values()):
                if isinstance(value, Registry) and value.package == found.name:
                    for name, part in value.parts().items():
                        yield f"{value.kind} {name}{'()' if value.kind == 'claim' else signature(part)}"


def commands() -> Iterator[str]:
    """The commands with their arguments and options."""
    for name, command in COMMANDS.items():
        for flags, _ in command[2]:
            yield f"particlegvi {name} {'|'.join(flags)}"


def lines() -> list[str]:
    return [*names(particlegvi, "pg"), *sorted(set(parts())), *sorted(commands())]


if __name__ == "__main__":
    print("\n".join(lines()))
