"""Integrators: schemes that step the flow, found by their names.

An integrator is a function ``(step_size, temperature, stiffness) -> Stepping`` under the decorator
`particlegvi.integrators.stepping.integrator`, which gives it a name, a scheme and its orders.

``temperature`` is kl_weight; ``stiffness`` (dim,) is the constant curvature of the linear part of the drift (zero where
there is none). ``step_size`` is a number, or an array (steps, 1) where a schedule gives every step its own; the
coefficients then are (steps, dim), or (dim,) where they are the same for all steps.
"""

from __future__ import annotations

from collections.abc import Mapping

from particlegvi.integrators.stepping import Integrator, Stepping
from particlegvi.tools import arguments
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import Registry, check_parameters

SCHEMES = {
    "plain": "x <- x - gain * drift + noise_now * Z_k + noise_next * Z_{k+1}",
    "tamed": "as plain, with drift / (1 + gain |drift|) for the drift",
    "heun": "as plain, with the mean of the drifts at x and at where plain would go",
    "kinetic": "v <- v - gain * drift, then x moves by v for half a step, v takes noise, x moves for the other half",
    "metropolis": "as plain, but a move is accepted or rejected so that DLE's target is stationary at every step size",
}
_registry: Registry[Integrator] = Registry(__name__, "integrator")
names, get, register = _registry.names, _registry.get, _registry.register

__all__ = ["SCHEMES", "Stepping", "get", "names", "register", "resolved", "scheme"]


def resolved(integrator: object) -> tuple[str, float | None]:
    """The name of an integrator and its friction from a name, or a mapping with ``name`` and ``friction``.

    The friction is None where the integrator has none, and 1 where it was not given.
    """
    name, friction = integrator, None
    if isinstance(integrator, Mapping):
        check_parameters("integrator", integrator, ("name", "friction"))
        name, friction = integrator.get("name"), integrator.get("friction")
    if not isinstance(name, str):
        raise refuse("integrator", integrator, 'a name, or a table such as {name = "baoab", friction = 1.0}')
    if scheme(name) == "kinetic":
        return name, 1.0 if friction is None else arguments.positive("friction", friction)
    if friction is not None:
        raise ValueError(f'friction must be left out for the integrator "{name}", which has no velocities')
    return name, None


def scheme(name: str) -> str:
    """The scheme of this integrator, a key of :data:`SCHEMES`."""
    return get(name).scheme
