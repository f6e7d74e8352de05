"""The models of Table 6.2: one small file each, a function ``model(problem, settings)`` below `model.table_model`.

A model fits on the training rows, may choose settings on the validation rows, and predicts: `Numbers` for a regression,
`Classes` for a classification. Its keyword-only parameters are its own settings, which a table may set for this model.
"""

from __future__ import annotations

from particlegvi.scenario.tables.functions.models.model import Model
from particlegvi.tools.registry import Registry

__all__ = ["get", "names", "registry"]

registry: Registry[Model] = Registry(__name__, "model of the table")
names, get = registry.names, registry.get
