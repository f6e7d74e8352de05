"""The kinds of scenario that ``particlegvi run`` runs: one file or folder each, found by its name.

A kind (`particlegvi.scenario.kinds.kind.Kind`) declares the keys of its scenarios, builds their parts, runs a job,
packs a run into a record and unpacks it, and summarises it. Folders, locks, checkpoints and results are the same for
all kinds: `particlegvi.runs` has the loop that runs every kind.
"""

from __future__ import annotations

from typing import Any

from particlegvi.contracts import Scenario
from particlegvi.scenario.kinds.kind import Kind
from particlegvi.tools.registry import Registry

_registry: Registry[type[Kind]] = Registry(__name__, "kind of scenario")
names, register = _registry.names, _registry.register


def has(name: object) -> bool:
    """Whether a kind has this name."""
    return name in _registry


def get(name: str) -> Kind:
    """The kind of this name; a ValueError if there is no such kind."""
    return _registry.get(name)()


def of(scenario: Scenario) -> Kind:
    """The kind of a complete scenario; "particles" if the scenario does not name a kind."""
    return get(scenario.get("kind", "particles"))


def build(scenario: Scenario) -> Any:
    """Build the parts of a complete scenario of any kind; a ValueError if they do not exist or do not fit together."""
    return of(scenario).build(scenario)
