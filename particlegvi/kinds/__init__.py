"""The kinds of scenario: what ``particlegvi run`` can do. One small file each, found by its name.

A kind (see `particlegvi.kinds.kind.Kind`) says which keys its scenarios have, makes of them what is run, runs it,
takes it up again from a folder, and says what the results amount to. All else is the same for every kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from particlegvi.tools.registry import Registry

if TYPE_CHECKING:
    from particlegvi.kinds.kind import Kind

_registry = Registry(__name__, "kind of scenario")


def names() -> list[str]:
    """The kinds, in alphabetical order."""
    return _registry.names()


def get(name: str) -> Kind:
    """The kind of this name; a ValueError where there is none."""
    return _registry[name]()


def of(scenario: Mapping[str, Any]) -> Kind:
    """The kind of a complete scenario; particles where it does not say."""
    return get(scenario.get("kind", "particles"))
