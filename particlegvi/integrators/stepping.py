"""The coefficients that an integrator gives to the compiled step, for one step or, with a schedule, for every one."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np

from particlegvi.contracts import Array, Prior
from particlegvi.integrators.schedules import Schedule
from particlegvi.priors.normal import Normal
from particlegvi.tools.registry import named

StepSize: TypeAlias = "float | Array"  # a number, or one for each step, (steps, 1)
BLOCK = 1024  # steps whose coefficients are computed together


class Stepping(NamedTuple):
    """Coefficients of x <- x - gain * drift + noise_now * Z_k + noise_next * Z_{k+1}, each (dim,) or (steps, dim)."""

    gain: Array
    noise_now: Array
    noise_next: Array


@runtime_checkable
class Integrator(Protocol):
    """A function that gives the coefficients, with the attributes that the decorator `integrator` sets."""

    name: str
    linear_part: bool
    scheme: str
    strong_order: float | None
    stationary_order: float | None
    order: float | None

    def __call__(self, step_size: StepSize, temperature: float, stiffness: Array, /, **friction: float) -> Stepping: ...


Coefficients = TypeVar("Coefficients", bound=Callable[..., Stepping])


def integrator(
    name: str,
    *,
    linear_part: bool = False,
    scheme: str = "plain",
    strong_order: float | None = None,
    stationary_order: float | None = None,
    order: float | None = None,
) -> Callable[[Coefficients], Coefficients]:
    """Decorate a function ``(step_size, temperature, stiffness) -> Stepping`` as an integrator.

    Parameters
    ----------
    name : str
        Name in the registry.
    linear_part : bool
        Whether it uses ``stiffness``.
    scheme : str
        How the engine steps with the coefficients, one of `particlegvi.integrators.SCHEMES`.
    strong_order, stationary_order, order : float, optional
        Orders in the step size of: the error of a path for this additive noise; the bias of the stationary
        distribution (infinite where there is none); the error without noise. None where there is none to state.
    """
    orders = {"strong_order": strong_order, "stationary_order": stationary_order, "order": order}
    return named(name, linear_part=linear_part, scheme=scheme, **orders)


def linear_part(kl_weight: float, prior: Prior, dim: int) -> Array:
    """Curvature (dim,) of the linear part of the drift: kl_weight / sd^2 for a Normal prior, else zero."""
    if isinstance(prior, Normal):
        return kl_weight / np.broadcast_to(np.asarray(prior.sd, dtype=np.float64), (dim,)) ** 2
    return np.zeros(dim)


class Steppings:
    """The coefficients of every step of a run.

    Z_{k+1} belongs to step k + 1, so with a schedule ``noise_next`` is computed from the size of that step. The sum of
    the noise of one step then has the variance for its size (the post-processed form of Leimkuhler-Matthews, Vilmart
    2015, with a post-processor that follows the schedule).

    Coefficients come in blocks of BLOCK steps that begin at multiples of BLOCK, so that a step's coefficients do not
    depend on which steps are asked for.
    """

    def __init__(
        self,
        integrator: Callable[..., Stepping],
        step_size: float | Schedule,
        temperature: float,
        stiffness: Array,
    ):
        self._coefficients: Callable[[StepSize], Stepping] = lambda size: integrator(size, temperature, stiffness)
        self._dim = stiffness.size
        self._schedule = step_size if isinstance(step_size, Schedule) else None
        self._block = -1
        if not isinstance(step_size, Schedule):
            self._held = self._rows(self._coefficients(step_size), 1)

    def __call__(self, step: int, most: int) -> tuple[Stepping, int]:
        """Coefficients (rows, dim) from ``step`` on, and for how many steps, at most ``most``, they are.

        One row is for all of these steps, otherwise there is one row for each.
        """
        if self._schedule is None:
            return self._held, most
        block, row = divmod(step, BLOCK)
        if block != self._block:
            sizes = self._schedule.at(np.arange(block * BLOCK, (block + 1) * BLOCK + 1))[:, None]
            gain, now, following = self._rows(self._coefficients(sizes), BLOCK + 1)
            self._held = Stepping(gain[:-1], now[:-1], following[1:])
            self._block = block
        count = min(most, BLOCK - row)
        return Stepping(*(part[row : row + count] for part in self._held)), count

    def _rows(self, coefficients: Stepping, rows: int) -> Stepping:
        shape = (rows, self._dim)
        return Stepping(*(np.array(np.broadcast_to(part, shape), dtype=np.float64, order="C") for part in coefficients))
