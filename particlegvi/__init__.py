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
import sys
from importlib.machinery import ModuleSpec

from particlegvi.version import __version__

TYPE_CHECKING = False  # as in typing, whose import would be a sixth of the time that --help takes

# No module is called run, resume, page, compare, simulate, target, load or scenarios: importing it would bind its name
# here.
_MODULES = (
    "losses",
    "kernels",
    "priors",
    "methods",
    "integrators",
    "targets",
    "diagnostics",
    "functionspace",
    "networks",
    "plotting",
    "datasets",
    "metrics",
)
# Modules that the sub-layers of a room hold: `pg.jumps` is `particlegvi.methods.jumps`.
_INSIDE = {"schedules": "integrators", "jumps": "methods", "calibration": "metrics", "tables": "scenario"}
_NAMES = {
    "Loss": "particlegvi.losses.loss:Loss",
    "Prior": "particlegvi.priors.formula:Prior",
    "Run": "particlegvi.runs.results.runs:Run",
    "Diverged": "particlegvi.tools.errors:Diverged",
    "last_interrupted": "particlegvi.tools.errors:last_interrupted",
    "simulate": "particlegvi.runs.compare:simulate",
    "target": "particlegvi.targets:target",
    "run": "particlegvi.runs.execute:run",
    "animate": "particlegvi.runs.animate:animate",
    "resume": "particlegvi.sweeps.api:resume",
    "sweep": "particlegvi.sweeps.api:sweep",
    "compare": "particlegvi.runs.compare:compare",
    "load": "particlegvi.sweeps.api:load",
    "scenarios": "particlegvi.scenario.scenarios:",
    "page": "particlegvi.runs.pages:page",
}

__all__ = ["__version__", *_MODULES, *_INSIDE, *_NAMES]

if TYPE_CHECKING:
    from typing import Any

    from particlegvi import (
        datasets,
        diagnostics,
        functionspace,
        integrators,
        kernels,
        losses,
        methods,
        metrics,
        networks,
        plotting,
        priors,
        targets,
    )
    from particlegvi.integrators import schedules
    from particlegvi.losses.loss import Loss
    from particlegvi.methods import jumps
    from particlegvi.metrics import calibration
    from particlegvi.priors.formula import Prior
    from particlegvi.runs.animate import animate
    from particlegvi.runs.compare import compare, simulate
    from particlegvi.runs.execute import run
    from particlegvi.runs.pages import page
    from particlegvi.runs.results.runs import Run
    from particlegvi.scenario import scenarios, tables
    from particlegvi.sweeps.api import load, resume, sweep
    from particlegvi.targets import target
    from particlegvi.tools.errors import Diverged, last_interrupted


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        module, _, attribute = _NAMES[name].partition(":")
        loaded = importlib.import_module(module)
        value = getattr(loaded, attribute) if attribute else loaded
    elif name in _MODULES:
        value = importlib.import_module(f"particlegvi.{name}")
    elif name in _INSIDE:
        value = importlib.import_module(f"particlegvi.{_INSIDE[name]}.{name}")
    else:
        raise AttributeError(f"module 'particlegvi' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _Inside:
    """Lets ``from particlegvi.tables import run_table`` find the module that a room holds, under its public name."""

    own: ModuleSpec | None

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        room, _, word = name.rpartition(".")
        return ModuleSpec(name, self) if room == __name__ and word in _INSIDE else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> Any:
        module = __getattr__(spec.name.rpartition(".")[2])
        self.own = module.__spec__  # the import system replaces it
        return module

    def exec_module(self, module: Any) -> None:
        module.__spec__ = self.own


sys.meta_path.append(_Inside())  # type: ignore[arg-type]
