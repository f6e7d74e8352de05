"""Integrators: schemes that step the flow, found by their names.

An integrator is a function ``(step_size, temperature, stiffness) -> Stepping`` under the decorator
`particlegvi.integrators.stepping.integrator`, which gives it a name, its orders and, where it is no plain scheme, a
step of its own.

``temperature`` is kl_weight; ``stiffness`` (dim,) is the constant curvature of the linear part of the drift (zero where
there is none). ``step_size`` is a number, or an array (steps, 1) where a schedule gives every step its own; the
coefficients then are (steps, dim), or (dim,) where they are the same for all steps.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

import numpy as np

from particlegvi.integrators.stepping import Integrator, Step, Stepping, integrator
from particlegvi.tools import arguments
from particlegvi.tools.registry import Registry, check_parameters

_registry: Registry[Integrator] = Registry(__name__, "integrator")
names, register = _registry.names, _registry.register

__all__ = ["Step", "Stepping", "get", "integrator", "names", "register", "resolved"]


class NameOfOwn(str):
    """The name of an integrator that was given as an object, which `get` returns for it."""

    made: Integrator


def get(name: str) -> Integrator:
    """The integrator of this name; an unknown name is a ValueError with the nearest right one."""
    return name.made if isinstance(name, NameOfOwn) else _registry.get(name)


def resolved(integrator: object) -> tuple[str, float | None]:
    """The name of an integrator and its friction, from a name, an object, or a mapping with ``name`` and ``friction``.

    An object is a function below `integrator`. The friction is None where the integrator has none, and 1 where it was
    not given.
    """
    name, friction = integrator, None
    if isinstance(integrator, Mapping):
        check_parameters("integrator", integrator, ("name", "friction"))
        name, friction = integrator.get("name"), integrator.get("friction")
    if isinstance(name, Integrator):
        name = _given(name)
    if not isinstance(name, str):
        table = 'a table such as {name = "baoab", friction = 1.0}'
        allowed = f"a name, a function below pg.integrators.integrator, or {table}"
        raise arguments.refuse("integrator", integrator, allowed)
    if "friction" in inspect.signature(get(name)).parameters:
        return name, 1.0 if friction is None else arguments.positive("friction", friction)
    if friction is not None:
        raise ValueError(f'friction must be left out for the integrator "{name}", which has no velocities')
    return name, None


def _given(made: Integrator) -> str:
    """The name that stands for an object, after a trial of it."""
    name = NameOfOwn(made.name)
    if name in _registry.parts():
        if made is _registry.get(name):
            return str(name)
        raise ValueError(f'integrator must have another name than "{name}", which is one of the package')
    try:
        coefficients = [np.broadcast_to(part, (2,)) for part in Stepping(*made(1e-3, 1.0, np.zeros(2)))]
    except (TypeError, ValueError) as error:
        allowed = "Stepping(gain, noise_now, noise_next), each (dim,)"
        raise ValueError(f"the integrator {name} must return {allowed}; it fails with: {error}") from error
    if not np.isfinite(coefficients).all():
        raise ValueError(f"the integrator {name} must return finite coefficients, not {coefficients}")
    name.made = made
    return name


def carries_noise(made: Integrator) -> bool:
    """Whether a particle of this integrator has a part of the noise of its next step in it."""
    return bool(np.any(made(1.0, 1.0, np.zeros(1)).noise_next))


def check_fits(name: str, label: str, rules: Mapping[str, Callable[[Integrator], bool]]) -> None:
    """A ValueError where the integrator of this name breaks a rule of a method; its reason is the key of the rule."""
    for why, fits in rules.items():
        if not fits(get(name)):
            others = ", ".join(other for other in names() if all(rule(get(other)) for rule in rules.values()))
            raise ValueError(f'integrator must be one of {others}, not "{name}": {label} {why}')
