"""Integrators: schemes that step the flow, found by their names.

An integrator is a function ``(step_size, temperature, stiffness) -> StepCoefficients`` under the decorator
`particlegvi.integrators.integrator`, which gives it a name, its orders and, where it is no plain scheme, a
step of its own.

``temperature`` is kl_weight; ``stiffness`` (dim,) is the constant curvature of the linear part of the drift (zero where
there is none). ``step_size`` is a number, or an array (steps, 1) where a schedule gives every step its own; the
coefficients then are (steps, dim), or (dim,) where they are the same for all steps.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.tools import arguments
from particlegvi.tools.registry import Registry, check_parameters, named

if TYPE_CHECKING:
    from particlegvi.engine.numerics.compiled import EntryPoint

StepSize: TypeAlias = "float | Array"  # a number, or one for each step, (steps, 1)


class StepCoefficients(NamedTuple):
    """Coefficients of x <- x - gain * drift + noise_now * Z_k + noise_next * Z_{k+1}, each (dim,) or (steps, dim)."""

    gain: Array
    noise_now: Array
    noise_next: Array


class Step(NamedTuple):
    """The parts that a scheme may use in a step of its own. Points are (particles, dim), coefficients (dim,)."""

    number: int  # of the step, from 0
    gain: Array
    noise_now: Array
    noise_next: Array
    temperature: float  # kl_weight
    drift: Callable[[Array], Array]  # the drift at points: grad V, and the forces of the points on each other
    potential: Callable[[Array], Array]  # V at points, (particles,), for integrators that accept or reject
    normals: Callable[[int], Array]  # Z_{k+ahead} (particles, dim) for ahead = 0 or 1
    uniforms: Callable[[], Array]  # numbers in (0, 1) that decide, (particles,)
    reflected: Callable[[Array], tuple[Array, Array]]  # points inside of the walls, and -1 where one was turned round


OwnStep: TypeAlias = Callable[[Array, Step], None]


@runtime_checkable
class Integrator(Protocol):
    """A function that gives the coefficients, with the attributes that the decorator `integrator` sets."""

    name: str
    linear_part: bool
    strong_order: float | None
    stationary_order: float | None
    order: float | None
    step: OwnStep | None
    columns: Callable[[int], int]
    noise: Literal["any", "needed", "none"]
    accepts: bool
    interacting: bool
    limit: Callable[[float], float] | None
    facts: Callable[[Array], Facts] | None
    compiled: EntryPoint | None

    def __call__(
        self, step_size: StepSize, temperature: float, stiffness: Array, /, **friction: float
    ) -> StepCoefficients: ...


Coefficients = TypeVar("Coefficients", bound=Callable[..., StepCoefficients])


def integrator(
    name: str,
    *,
    linear_part: bool = False,
    strong_order: float | None = None,
    stationary_order: float | None = None,
    order: float | None = None,
    step: OwnStep | None = None,
    columns: Callable[[int], int] | None = None,
    noise: Literal["any", "needed", "none"] = "any",
    accepts: bool = False,
    interacting: bool = False,
    limit: Callable[[float], float] | None = None,
    facts: Callable[[Array], Facts] | None = None,
    compiled: Any = None,
) -> Callable[[Coefficients], Coefficients]:
    """Decorate a function ``(step_size, temperature, stiffness) -> StepCoefficients`` as an integrator.

    Parameters
    ----------
    name : str
        Name in the registry.
    linear_part : bool
        Whether it uses ``stiffness``.
    strong_order, stationary_order, order : float, optional
        Orders in the step size of: the error of a path for this additive noise; the bias of the stationary
        distribution (infinite where there is none); the error without noise. None where there is none to state.
    step : callable, optional
        ``step(state, now)`` takes one step, in place, with what a `Step` has; left out,
        x <- x - gain * drift + noise_now * Z_k + noise_next * Z_{k+1}. It depends on these two alone, so that steps can
        be grouped in any way and a run can be continued.
    columns : callable, optional
        ``columns(dim)`` numbers of each particle stand in ``state`` behind its coordinates, zeros at the start; left
        out, none.
    noise : str
        "needed" for methods with noise only, "none" for those without, "any" for both.
    accepts : bool
        Whether the step accepts or rejects by the potential: it then has the loss of all rows, and no repulsion.
    interacting : bool
        Whether the step of a particle depends on the other particles, which then are no independent chains.
    limit : callable, optional
        ``limit(curvature)`` is the largest stable step size where the curvature of V is at most so large; left out, the
        gain must stay below 2 / curvature.
    facts : callable, optional
        ``facts(kept)`` are facts for the result from the columns behind the coordinates at the end.
    compiled : compiled function, optional
        The same steps in compiled code (`particlegvi.engine.steps`), for losses that it can call.
    """
    own = {
        "step": step,
        "columns": columns or (lambda dim: 0),
        "noise": noise,
        "accepts": accepts,
        "interacting": interacting,
        "limit": limit,
        "facts": facts,
    }
    orders = {"strong_order": strong_order, "stationary_order": stationary_order, "order": order}
    return named(name, linear_part=linear_part, compiled=compiled, **orders, **own)


_registry: Registry[Integrator] = Registry(__name__, "integrator")
names, register = _registry.names, _registry.register

__all__ = ["Step", "StepCoefficients", "get", "integrator", "integrator_from", "names", "register"]


class NameOfOwn(str):
    """The name of an integrator that was given as an object, which `get` returns for it."""

    made: Integrator


def get(name: str) -> Integrator:
    """The integrator of this name; an unknown name is a ValueError with the nearest right one."""
    return name.made if isinstance(name, NameOfOwn) else _registry.get(name)


class NamedIntegrator(NamedTuple):
    """The name of an integrator, and its friction where it has velocities."""

    name: str
    friction: float | None = None


def integrator_from(integrator: object) -> NamedIntegrator:
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
        return NamedIntegrator(name, 1.0 if friction is None else arguments.positive("friction", friction))
    if friction is not None:
        raise ValueError(f'friction must be left out for the integrator "{name}", which has no velocities')
    return NamedIntegrator(name)


def _given(made: Integrator) -> str:
    """The name that stands for an object, after a trial of it."""
    name = NameOfOwn(made.name)
    if name in _registry.parts():
        if made is _registry.get(name):
            return str(name)
        raise ValueError(f'integrator must have another name than "{name}", which is one of the package')
    try:
        coefficients = [np.broadcast_to(part, (2,)) for part in StepCoefficients(*made(1e-3, 1.0, np.zeros(2)))]
    except (TypeError, ValueError) as error:
        allowed = "StepCoefficients(gain, noise_now, noise_next), each (dim,)"
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
