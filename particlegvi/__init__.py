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

from particlegvi.tools.lazy import attach

__getattr__, __all__ = attach(__name__)


def __dir__() -> list[str]:
    return sorted(__all__)
