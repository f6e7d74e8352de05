"""The integrators with plain steps: the coefficients of one step of each, and those of every step of a run.

A new one may be a file beside this one.

In the formulas h is the step size and Z a standard normal; kl_weight is the temperature that they are called with.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from particlegvi.contracts import Array, Prior
from particlegvi.integrators import StepCoefficients, StepSize, integrator
from particlegvi.integrators.schedules import Schedule
from particlegvi.priors.normal import Normal

BLOCK = 1024  # steps whose coefficients are computed together


@integrator("euler-maruyama", strong_order=1.0, stationary_order=1.0, order=1.0)
def euler_maruyama(step_size: StepSize, temperature: float, stiffness: Array) -> StepCoefficients:
    """x <- x - h drift + sqrt(2 h kl_weight) Z (thesis C.123).

    The gain is h, ``noise_now`` is sqrt(2 h kl_weight), and ``noise_next`` is 0.

    One drift a step. Strong order 1 for this additive noise; stationary bias of first order: on V = a x^2 / 2 the
    variance is (kl_weight / a) / (1 - h a / 2). Stable for h < 2 / (largest curvature).
    """
    ones = np.ones_like(stiffness)
    return StepCoefficients(step_size * ones, np.sqrt(2.0 * step_size * temperature) * ones, 0.0 * ones)


@integrator("leimkuhler-matthews", strong_order=0.5, stationary_order=2.0, order=1.0)
def leimkuhler_matthews(step_size: StepSize, temperature: float, stiffness: Array) -> StepCoefficients:
    """x <- x - h drift + sqrt(h kl_weight / 2) (Z_k + Z_{k+1}) (Leimkuhler and Matthews 2013, eq. 15).

    One drift a step; returns the averaged-noise variable x itself. Stationary bias of second order; no bias at all on a
    quadratic, where the variance is kl_weight / a exactly. Strong order 1/2 only, because x knows half of the noise of
    the next step: use it for distributions and not for paths. Stable for h < 2 / (largest curvature). At a wall of the
    prior its bias is of order sqrt(h), since a particle that is reflected carries noise that is not; that of
    Euler-Maruyama stays of order h.
    """
    ones = np.ones_like(stiffness)
    half = np.sqrt(0.5 * step_size * temperature) * ones
    return StepCoefficients(step_size * ones, half, half.copy())


@integrator("exponential-euler", linear_part=True, strong_order=1.0, stationary_order=1.0, order=1.0)
def exponential_euler(step_size: StepSize, temperature: float, stiffness: Array) -> StepCoefficients:
    """The Ornstein-Uhlenbeck part with curvature a is solved exactly, the rest of the drift is held over the step.

    x <- x - (1 - e^{-a h}) / a * drift + sqrt(kl_weight (1 - e^{-2 a h}) / a) Z, where drift includes the linear part
    (Hochbruck and Ostermann 2010, eq. 2.4; Jentzen and Kloeden 2009 for the noise). One drift a step. The linear part
    comes from a Normal prior, a = kl_weight / sd^2; without one (a = 0) this is Euler-Maruyama. Strong order 1, and
    stationary bias of first order, both from the rest of the drift alone. With curvature c of the rest, stable at every
    step size for c <= a and for h < log((c + a) / (c - a)) / a otherwise.
    """
    a = np.where(stiffness > 0.0, stiffness, 1.0)
    gain = np.where(stiffness > 0.0, -np.expm1(-a * step_size) / a, step_size)
    variance = np.where(stiffness > 0.0, -np.expm1(-2.0 * a * step_size) / a, 2.0 * step_size)
    return StepCoefficients(gain, np.sqrt(temperature * variance), np.zeros_like(gain))


def linear_part(kl_weight: float, prior: Prior, dim: int) -> Array:
    """Curvature (dim,) of the linear part of the drift: kl_weight / sd^2 for a Normal prior, else zero."""
    if isinstance(prior, Normal):
        return kl_weight / np.broadcast_to(np.asarray(prior.sd, dtype=np.float64), (dim,)) ** 2
    return np.zeros(dim)


class CoefficientSource:
    """The coefficients of every step of a run.

    Z_{k+1} belongs to step k + 1, so with a schedule ``noise_next`` is computed from the size of that step. The sum of
    the noise of one step then has the variance for its size (the post-processed form of Leimkuhler-Matthews, Vilmart
    2015, with a post-processor that follows the schedule).

    Coefficients come in blocks of BLOCK steps that begin at multiples of BLOCK, so that a step's coefficients do not
    depend on which steps are asked for.
    """

    def __init__(
        self,
        integrator: Callable[..., StepCoefficients],
        step_size: float | Schedule,
        temperature: float,
        stiffness: Array,
    ):
        self._coefficients: Callable[[StepSize], StepCoefficients] = lambda size: integrator(
            size, temperature, stiffness
        )
        self._dim = stiffness.size
        self._schedule = step_size if isinstance(step_size, Schedule) else None
        self._block = -1
        if not isinstance(step_size, Schedule):
            self._held = self._rows(self._coefficients(step_size), 1)

    def __call__(self, step: int, most: int) -> tuple[StepCoefficients, int]:
        """Coefficients (rows, dim) from ``step`` on, and for how many steps, at most ``most``, they are.

        One row is for all of these steps, otherwise there is one row for each.
        """
        if self._schedule is None:
            return self._held, most
        block, row = divmod(step, BLOCK)
        if block != self._block:
            sizes = self._schedule.at(np.arange(block * BLOCK, (block + 1) * BLOCK + 1))[:, None]
            gain, now, following = self._rows(self._coefficients(sizes), BLOCK + 1)
            self._held = StepCoefficients(gain[:-1], now[:-1], following[1:])
            self._block = block
        count = min(most, BLOCK - row)
        return StepCoefficients(*(part[row : row + count] for part in self._held)), count

    def _rows(self, coefficients: StepCoefficients, rows: int) -> StepCoefficients:
        shape = (rows, self._dim)
        return StepCoefficients(
            *(np.array(np.broadcast_to(part, shape), dtype=np.float64, order="C") for part in coefficients)
        )
