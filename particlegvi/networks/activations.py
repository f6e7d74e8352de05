"""The activations of hidden units, by name. Their functions and slopes are in `particlegvi.engine.networks`."""

from __future__ import annotations

from particlegvi.engine.networks.functions import ACTIVATIONS
from particlegvi.tools.registry import look_up

__all__ = ["names"]


def names() -> list[str]:
    """The names of all activations, in alphabetical order."""
    return sorted(ACTIVATIONS)


def code(name: object) -> int:
    """The number of an activation in compiled code; a ValueError suggests the nearest name for an unknown one."""
    return int(look_up("activation", name, ACTIVATIONS))
