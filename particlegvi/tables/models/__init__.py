"""The models of a table: one small file each, a function ``model(problem, settings)`` below `model.table_model`.

It fits on the training rows, may choose settings on the validation rows, and predicts: `Numbers` for a regression,
`Classes` for a classification. Its keyword-only parameters are settings of its own, which a table may set for it alone.
"""

from __future__ import annotations

from particlegvi.tables.models.model import Model
from particlegvi.tools.registry import Registry

__all__ = ["get", "names", "registry"]

registry = Registry("particlegvi.tables.models", "model of the table")


def names() -> list[str]:
    """The names of all models, in alphabetical order."""
    return registry.names()


def get(name: str) -> Model:
    """The model of this name."""
    return registry[name]
