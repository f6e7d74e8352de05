"""The models of a table: one small file each, a function ``model(problem, settings)`` with a ``name``.

It fits on the training rows, may choose settings on the validation rows, and predicts: `Numbers` for a regression,
`Classes` for a classification.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from particlegvi.tools.registry import Registry

__all__ = ["get", "names"]

_registry = Registry("particlegvi.tables.models", "model of the table")


def names() -> list[str]:
    """The names of all models, in alphabetical order."""
    return _registry.names()


def get(name: str) -> Callable[..., Any]:
    """The model of this name."""
    return _registry[name]
