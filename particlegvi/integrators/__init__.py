"""Integrators: schemes that step the flow, found by their names.

An integrator is a function ``(step_size, temperature, stiffness) -> Stepping`` under the decorator
`particlegvi.integrators.stepping.integrator`, which gives it a name, a scheme and its orders.

``temperature`` is kl_weight; ``stiffness`` (dim,) is the constant curvature of the linear part of the drift (zero where
there is none). ``step_size`` is a number, or an array (steps, 1) where a schedule gives every step its own; the
coefficients then are (steps, dim), or (dim,) where they are the same for all steps.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from particlegvi.integrators.stepping import Integrator, Stepping, integrator
from particlegvi.tools import arguments
from particlegvi.tools.registry import Registry, check_parameters, look_up

SCHEMES = {
    "plain": "x <- x - gain * drift + noise_now * Z_k + noise_next * Z_{k+1}",
    "heun": "as plain, with the mean of the drifts at x and at where plain would go",
    "kinetic": "v <- v - gain * drift, then x moves by v for half a step, v takes noise, x moves for the other half",
    "adam": "x <- x - gain * m / (sqrt(v) + 1e-8), m and v running means of drift and drift^2, without noise",
    "metropolis": "as plain, but a move is accepted or rejected so that DLE's target is stationary at every step size",
}
_registry: Registry[Integrator] = Registry(__name__, "integrator")
names, register = _registry.names, _registry.register

__all__ = ["SCHEMES", "Stepping", "get", "integrator", "names", "register", "resolved", "scheme"]


class Given(str):
    """The name of an integrator that was given as an object, which `get` returns for it."""

    made: Integrator


def get(name: str) -> Integrator:
    """The integrator of this name; an unknown name is a ValueError with the nearest right one."""
    return name.made if isinstance(name, Given) else _registry.get(name)


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
    if scheme(name) == "kinetic":
        return name, 1.0 if friction is None else arguments.positive("friction", friction)
    if friction is not None:
        raise ValueError(f'friction must be left out for the integrator "{name}", which has no velocities')
    return name, None


def _given(made: Integrator) -> str:
    """The name that stands for an object, after a trial of it."""
    name = Given(made.name)
    if name in _registry.parts():
        if made is _registry.get(name):
            return str(name)
        raise ValueError(f'integrator must have another name than "{name}", which is one of the package')
    look_up("scheme of an integrator", made.scheme, SCHEMES)
    stiffness = np.zeros(2)
    extra = {"friction": 1.0} if made.scheme == "kinetic" else {}
    try:
        coefficients = [np.broadcast_to(part, (2,)) for part in Stepping(*made(1e-3, 1.0, stiffness, **extra))]
    except (TypeError, ValueError) as error:
        allowed = "Stepping(gain, noise_now, noise_next), each (dim,)"
        raise ValueError(f"the integrator {name} must return {allowed}; it fails with: {error}") from error
    if not np.isfinite(coefficients).all():
        raise ValueError(f"the integrator {name} must return finite coefficients, not {coefficients}")
    name.made = made
    return name


def scheme(name: str) -> str:
    """The scheme of this integrator, a key of :data:`SCHEMES`."""
    return get(name).scheme
