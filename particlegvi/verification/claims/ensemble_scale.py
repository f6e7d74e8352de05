"""Steps that are scaled by the covariance of the ensemble keep the laws of DLE and DRLE."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import particlegvi as pg
from particlegvi.contracts import Array, Method
from particlegvi.integrators import StepCoefficients, integrator
from particlegvi.integrators.aldi import aldi, aldi_step
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Checks, claim

COVARIANCE = np.array([[4.0, 1.9], [1.9, 1.0]])  # condition 50
PRECISION = np.linalg.inv(COVARIANCE)
BATCHES = 20
REPULSIVE = pg.methods.DRLE(kl_weight=0.5, mmd_weight=4.0, kernel=problems.KERNEL)
LOSS = pg.Loss.from_formula(
    f"{PRECISION[0, 0] / 2}*x**2 + {PRECISION[0, 1]}*x*y + {PRECISION[1, 1] / 2}*y**2", variables=["x", "y"]
)


def uncorrected() -> Callable[..., StepCoefficients]:
    """ALDI without the divergence of C."""
    step = partial(aldi_step, correction=0.0)
    scheme = integrator("aldi-uncorrected", step=step, columns=lambda dim: 1, noise="needed")
    return scheme(lambda size, temperature, stiffness: aldi(size, temperature, stiffness))


@claim("Garbuno-Inigo, Nuesken and Reich 2020, equation 3.6", wrong="no correction by the divergence of C")
def ensemble_law(seed: int, wrong: bool, *, particles: int = 6, steps: int = 10_000, step_size: float = 0.05) -> Checks:
    """Independent draws are stationary under ALDI, for few particles too.

    Second moments of six particles over a long time, divided by those of a normal law of condition 50. Without the
    correction they are about half as large.
    """
    start = np.random.default_rng(seed).multivariate_normal(np.zeros(2), COVARIANCE, particles)
    settings = {"loss": LOSS, "prior": pg.priors.Flat(2), "initial": start}
    positions = moved(pg.methods.DLE(1.0), seed, wrong, particles, steps, step_size, **settings)
    return largest_error((positions**2).mean(axis=1) / np.diag(COVARIANCE), np.ones(2))


@claim("Garbuno-Inigo, Nuesken and Reich 2020, proposition 2.4", wrong="no correction by the divergence of C")
def repulsive_ensemble_law(seed: int, wrong: bool, *, steps: int = 10_000, step_size: float = 0.05) -> Checks:
    """The law of three particles of DRLE is stationary under ALDI.

    Their mean square and the mean square of their distances over a long time, on the line with loss x^2 / 2, beside
    the integrals of the law of three particles over a grid in space. Without the correction both are less than half as
    large; without the repulsion the second would be a fifth smaller.
    """
    settings = {"loss": pg.Loss.from_formula("x**2/2", ["x"]), "initial": np.array([[-1.0], [0.0], [1.0]])}
    x = moved(REPULSIVE, seed, wrong, 3, steps, step_size, **settings)[:, :, 0]
    distances = np.mean((x - np.roll(x, 1, axis=1)) ** 2, axis=1)
    return largest_error(np.stack([np.mean(x**2, axis=1), distances], axis=1), of_three(REPULSIVE))


def of_three(method: pg.methods.DRLE) -> Array:
    """The mean squares of a particle and of a distance in the law exp(-E / kl_weight) of three particles of DRLE.

    E is the sum of V = x^2 / 2 - lambda1 mu_P - kl_weight log p over the particles, and of lambda1 kappa / 3 over the
    pairs.
    """
    a, b, c = np.meshgrid(*3 * [np.linspace(-4.0, 4.0, 81)], indexing="ij")
    energy = method.lambda1 / 3.0 * np.sum([np.exp(-0.5 * gap**2) for gap in (a - b, b - c, c - a)], axis=0)
    for x in (a, b, c):
        energy += 0.5 * x**2 - method.lambda1 * problems.embedding(x) + method.kl_weight * 0.5 * x**2
    law = np.exp(-(energy - energy.min()) / method.kl_weight)
    return np.array([np.sum(law * a**2), np.sum(law * (a - b) ** 2)]) / law.sum()


def moved(
    method: Method, seed: int, wrong: bool, particles: int, steps: int, step_size: float, **settings: Any
) -> Array:
    """The particles at every tenth step of ALDI, (records, particles, dim)."""
    settings |= {"integrator": uncorrected() if wrong else "aldi", "record_every": 10}
    return problems.simulate(method, seed, particles, steps, step_size, **settings).positions[1:]


def largest_error(squares: Array, exact: Array) -> Check:
    """The largest deviation of means (records, k) from exact ones (k,), by the scatter of batches."""
    batches = np.stack([part.mean(axis=0) for part in np.array_split(squares, BATCHES)])
    error = batches.std(axis=0, ddof=1) / np.sqrt(BATCHES)
    off = float(np.max(np.abs(batches.mean(axis=0) - exact) / error))
    return Check("largest deviation of a second moment, in standard errors", off, chance.student(BATCHES, looks=2))
