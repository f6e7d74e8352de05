"""Names that a package takes from its modules at their first use.

The stub ``__init__.pyi`` of a package lists its names once, for type checkers as well.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable
from typing import Any

# In a stub: from MODULE import NAME as NAME, OTHER as PUBLIC
IMPORT = re.compile(r"^from (\S+) import (.+)$", re.MULTILINE)


def attach(package: str) -> tuple[Callable[[str], Any], list[str]]:
    """The function ``__getattr__`` of a package, which imports names at their first use, and the names in its stub.

    A name of the stub is an attribute of a module, or a module itself.
    """
    with open(os.path.join(sys.modules[package].__path__[0], "__init__.pyi"), encoding="utf-8") as stub:
        imports = IMPORT.findall(stub.read())
    places = {}
    for module, names in imports:
        for name, public in (pair.split(" as ") for pair in names.split(", ")):
            places[public] = module, name

    def get(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, attribute = places[name]
        value = None if module == package else vars(importlib.import_module(module)).get(attribute)
        if value is None:
            inner = f"{module}.{attribute}"
            try:
                value = importlib.import_module(inner)
            except ModuleNotFoundError as error:
                if error.name != inner:  # something that the module itself imports
                    raise
                raise AttributeError(f"module {package!r} has no attribute {name!r}: there is no {inner}") from None
        setattr(sys.modules[package], name, value)
        return value

    return get, list(places)


def bound(package: str) -> list[str]:
    """The names in the stub of a package, all of which are imported now, in the stub's order."""
    get, names = attach(package)
    for name in names:
        get(name)
    return names
