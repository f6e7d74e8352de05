"""The kinds of scenario: what ``particlegvi run`` can do. One file or folder each, found by its name.

A kind (`particlegvi.kinds.kind.Kind`) says which keys its scenarios have, builds their parts, runs a job, packs a run
into a record and unpacks it, and summarises it. Folders, locks, checkpoints and results are the same for every kind:
`particlegvi.running` has the one loop that runs them all.
"""

from __future__ import annotations

from typing import Any

from particlegvi.contracts import Scenario
from particlegvi.kinds.kind import Kind
from particlegvi.tools.registry import Registry

_registry = Registry(__name__, "kind of scenario")


def names() -> list[str]:
    """The kinds, in alphabetical order."""
    return _registry.names()


def get(name: str) -> Kind:
    """The kind of this name; a ValueError where there is none."""
    return _registry[name]()


def of(scenario: Scenario) -> Kind:
    """The kind of a complete scenario; particles where it does not say."""
    return get(scenario.get("kind", "particles"))


def build(scenario: Scenario) -> Any:
    """The parts that a complete scenario of any kind stands for.

    Raises
    ------
    ValueError
        If they do not exist or do not fit together; nothing has been compiled then.
    """
    return of(scenario).build(scenario)
