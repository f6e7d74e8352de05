"""The form of an integrator: coefficients of a step, and perhaps a step of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

from particlegvi.contracts import Array, Facts
from particlegvi.tools.registry import named

if TYPE_CHECKING:
    from particlegvi.engine.numerics.compiled import EntryPoint

StepSize: TypeAlias = "float | Array"  # a number, or one for each step, (steps, 1)


class Stepping(NamedTuple):
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
    limit: Callable[[float], float] | None
    facts: Callable[[Array], Facts] | None
    compiled: EntryPoint | None

    def __call__(self, step_size: StepSize, temperature: float, stiffness: Array, /, **friction: float) -> Stepping: ...


Coefficients = TypeVar("Coefficients", bound=Callable[..., Stepping])


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
    limit: Callable[[float], float] | None = None,
    facts: Callable[[Array], Facts] | None = None,
    compiled: Any = None,
) -> Callable[[Coefficients], Coefficients]:
    """Decorate a function ``(step_size, temperature, stiffness) -> Stepping`` as an integrator.

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
        "limit": limit,
        "facts": facts,
    }
    orders = {"strong_order": strong_order, "stationary_order": stationary_order, "order": order}
    return named(name, linear_part=linear_part, compiled=compiled, **orders, **own)
