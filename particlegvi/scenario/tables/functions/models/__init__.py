"""The models of Table 6.2: each a function ``model(problem, settings)`` below ``@named(NAME)``.

A model fits on the training rows, may choose settings on the validation rows, and predicts: `Numbers` for a regression,
`Classes` for a classification.
"""

from __future__ import annotations

from collections.abc import Callable

from particlegvi.scenario.tables.problem import Classes, Numbers
from particlegvi.tools.registry import Registry

registry: Registry[Callable[..., Numbers | Classes]] = Registry(__name__, "model of the table")
names, get, register = registry.names, registry.get, registry.register
