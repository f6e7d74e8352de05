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
    "jumps",
    "schedules",
    "targets",
    "diagnostics",
    "functionspace",
    "networks",
    "plotting",
    "datasets",
    "metrics",
    "calibration",
    "tables",
)
_NAMES = {
    "Loss": "particlegvi.losses.loss:Loss",
    "Prior": "particlegvi.priors.formula:Prior",
    "Run": "particlegvi.simulation.run:Run",
    "Diverged": "particlegvi.tools.errors:Diverged",
    "last_interrupted": "particlegvi.tools.errors:last_interrupted",
    "simulate": "particlegvi.simulation.loop:simulate",
    "target": "particlegvi.targets:target",
    "run": "particlegvi.running.execute:run",
    "animate": "particlegvi.running.animate:animate",
    "resume": "particlegvi.sweeps.front:resume",
    "sweep": "particlegvi.sweeps.front:sweep",
    "compare": "particlegvi.running.compare:compare",
    "load": "particlegvi.sweeps.front:load",
    "scenarios": "particlegvi.scenario.scenarios:",
    "page": "particlegvi.running.pages:page",
}

__all__ = ["__version__", *_MODULES, *_NAMES]

if TYPE_CHECKING:
    from typing import Any

    from particlegvi import (
        calibration,
        datasets,
        diagnostics,
        functionspace,
        integrators,
        jumps,
        kernels,
        losses,
        methods,
        metrics,
        networks,
        plotting,
        priors,
        schedules,
        tables,
        targets,
    )
    from particlegvi.losses.loss import Loss
    from particlegvi.priors.formula import Prior
    from particlegvi.running.animate import animate
    from particlegvi.running.compare import compare
    from particlegvi.running.execute import run
    from particlegvi.running.pages import page
    from particlegvi.scenario import scenarios
    from particlegvi.simulation.loop import simulate
    from particlegvi.simulation.run import Run
    from particlegvi.sweeps.front import load, resume, sweep
    from particlegvi.targets import target
    from particlegvi.tools.errors import Diverged, last_interrupted


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
