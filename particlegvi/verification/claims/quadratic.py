"""Exact laws of integrators on a quadratic, at every step and not only at the end."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

import particlegvi as pg
from particlegvi.contracts import Array, Facts
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Checks, claim

CURVATURE, TEMPERATURE, START, FRICTION = 2.0, 0.5, 1.5, 1.0


LOOKS = (1, 2, 3, 5, 40)  # steps at which the law is compared
Law = tuple[float, float]  # mean and standard deviation of the place after a step


def places(seed: int, particles: int, step_size: float, integrator: str | Facts) -> Array:
    """The places after every step of particles on a t^2/2 at the temperature T, all started at one point."""
    start = np.full((particles, 1), START)
    settings: Facts = {"loss": pg.losses.get("quadratic", curvature=CURVATURE), "prior": None, "initial": start}
    method = pg.methods.DLE(kl_weight=TEMPERATURE)
    run = problems.simulate(
        method, seed, particles, LOOKS[-1], step_size, record_every=1, integrator=integrator, **settings
    )
    return run.positions[:, :, 0]


def distance(places: Array, law: Callable[[int, float], Law], step_size: float) -> Check:
    """The largest Kolmogorov-Smirnov distance over five steps."""
    distances = []
    for step in LOOKS:
        mean, sd = law(step, step_size)
        distances.append(chance.ks_to_cdf((places[step] - mean) / sd, ndtr))
    bound = chance.kolmogorov_smirnov(places.shape[1], looks=len(LOOKS))
    return Check("largest KS distance to the exact law", max(distances), bound)


@claim("thesis, (C.123)", wrong="integrator of Leimkuhler and Matthews")
def discrete_law(seed: int, wrong: bool, *, particles: int = 50_000, step_size: float = 0.25) -> Checks:
    """On a quadratic, Euler-Maruyama has exactly the law of its linear recursion.

    On a t^2/2, theta_k ~ N(r^k theta_0, (T/a) (1 - r^2k) / (1 - h a/2)) with r = 1 - h a: with no condition on h.

    Measured is the largest Kolmogorov-Smirnov distance over five steps.
    """
    x = places(seed, particles, step_size, "leimkuhler-matthews" if wrong else "euler-maruyama")
    return distance(x, law_of_euler, step_size)


def law_of_euler(step: int, step_size: float) -> Law:
    """The law in the docstring of `discrete_law`."""
    shrink = 1.0 - step_size * CURVATURE
    variance = TEMPERATURE / CURVATURE * (1.0 - shrink ** (2 * step)) / (1.0 - 0.5 * step_size * CURVATURE)
    return shrink**step * START, math.sqrt(variance)


@claim("Leimkuhler and Matthews 2013, section 3.1", wrong="twice the friction")
def kinetic_law(seed: int, wrong: bool, *, particles: int = 50_000, step_size: float = 0.6) -> Checks:
    """On a quadratic BAOAB has its exact law, and the variance of Q* at every step size.

    On a t^2/2 place and velocity follow a linear recursion, whose stationary variance of the place is T/a.

    Measured are the largest Kolmogorov-Smirnov distance over five steps to the normal laws of the recursion, and the
    variance of the places at the end.
    """
    x = places(seed, particles, step_size, {"name": "baoab", "friction": FRICTION * (2.0 if wrong else 1.0)})
    ratio = float(x[-1].var()) * CURVATURE / TEMPERATURE
    error = abs(ratio - 1.0) / math.sqrt(2.0 / particles)
    return (
        distance(x, law_of_baoab, step_size),
        Check("variance at the end against T/a, in standard errors", error, chance.ERRORS),
    )


def law_of_baoab(step: int, step_size: float) -> Law:
    """The law of the place by the recursion of place and velocity."""
    h, c = step_size, math.exp(-FRICTION * step_size)
    kick, drift, damp = np.array([[1, 0], [-h * CURVATURE, 1]]), np.array([[1, 0.5 * h], [0, 1]]), np.diag([1, c])
    step_matrix, noise = drift @ damp @ drift @ kick, drift @ [0.0, math.sqrt(TEMPERATURE * (1.0 - c * c))]
    mean, covariance = np.array([START, 0.0]), np.zeros((2, 2))
    for _ in range(step):
        mean = step_matrix @ mean
        covariance = step_matrix @ covariance @ step_matrix.T + np.outer(noise, noise)
    return float(mean[0]), math.sqrt(covariance[0, 0])
