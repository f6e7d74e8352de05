"""particlegvi: particle simulation for generalised variational inference.

>>> import particlegvi as pg
>>> loss = pg.losses.get("tilted-double-well")
>>> prior = pg.priors.Normal(mean=0.0, sd=1.0)
>>> run = pg.simulate(loss, pg.methods.DLE(kl_weight=1.0), prior=prior, steps=1000, step_size=1e-3)
>>> run.final.shape
(300, 1)

Names are imported when first used, so that the command line starts fast; ``__init__.pyi`` lists them.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

from particlegvi.tools.lazy import attach

__getattr__, __all__ = attach(__name__)
# Modules that the sub-layers of a room hold: `pg.jumps` is `particlegvi.methods.jumps`.
_INSIDE = ("schedules", "jumps", "calibration", "tables")


def __dir__() -> list[str]:
    return sorted(__all__)


class _Inside:
    """Lets ``from particlegvi.tables import run_table`` find the module that a room holds, under its public name."""

    own: ModuleSpec | None

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        room, _, word = name.rpartition(".")
        return ModuleSpec(name, self) if room == __name__ and word in _INSIDE else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module: ModuleType = __getattr__(spec.name.rpartition(".")[2])
        self.own = module.__spec__  # the import system replaces it
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.own


sys.meta_path.append(_Inside())  # type: ignore[arg-type]
