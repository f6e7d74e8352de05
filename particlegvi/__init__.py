"""particlegvi: particle simulation for generalised variational inference.

>>> import particlegvi as pg
>>> loss = pg.losses.get("tilted-double-well")
>>> prior = pg.priors.Normal(mean=0.0, sd=1.0)
>>> run = pg.simulate(loss, pg.methods.DLE(kl_weight=1.0), prior=prior, steps=1000, step_size=1e-3)
>>> run.final.shape
(300, 1)

Names are imported when first used, so that the command line starts fast.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as in typing, whose import would be a sixth of the time that --help takes
__version__ = "0.1.0"

# Modules must not be called run, compare, simulate, target, load or scenarios: importing one binds its name here.
_MODULES = ("losses", "kernels", "priors", "methods", "integrators", "targets", "diagnostics", "plotting")
_NAMES = {
    "Loss": "particlegvi.loss:Loss",
    "Run": "particlegvi.runs:Run",
    "Diverged": "particlegvi.errors:Diverged",
    "simulate": "particlegvi.simulation:simulate",
    "target": "particlegvi.targets:target",
    "run": "particlegvi.runner:run",
    "compare": "particlegvi.comparison:compare",
    "load": "particlegvi.results:load",
    "scenarios": "particlegvi.catalogue:",
}

__all__ = ["__version__", *_MODULES, *_NAMES]

if TYPE_CHECKING:
    from typing import Any

    from particlegvi import catalogue as scenarios
    from particlegvi import diagnostics, integrators, kernels, losses, methods, plotting, priors, targets
    from particlegvi.comparison import compare
    from particlegvi.errors import Diverged
    from particlegvi.loss import Loss
    from particlegvi.results import load
    from particlegvi.runner import run
    from particlegvi.runs import Run
    from particlegvi.simulation import simulate
    from particlegvi.targets import target


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        module, _, attribute = _NAMES[name].partition(":")
        loaded = importlib.import_module(module)
        value = getattr(loaded, attribute) if attribute else loaded
    elif name in _MODULES:
        value = importlib.import_module(f"particlegvi.{name}")
    else:
        raise AttributeError(f"module 'particlegvi' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
