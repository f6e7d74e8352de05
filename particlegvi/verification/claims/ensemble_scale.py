"""Steps that are scaled by the covariance of the ensemble keep the law of DLE."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

import particlegvi as pg
from particlegvi.integrators.aldi import aldi, aldi_step
from particlegvi.integrators.stepping import Stepping, integrator
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Checks, claim

COVARIANCE = np.array([[4.0, 1.9], [1.9, 1.0]])  # condition 50
PRECISION = np.linalg.inv(COVARIANCE)
BATCHES = 20
LOSS = pg.Loss.from_formula(
    f"{PRECISION[0, 0] / 2}*x**2 + {PRECISION[0, 1]}*x*y + {PRECISION[1, 1] / 2}*y**2", variables=["x", "y"]
)


def uncorrected() -> Callable[..., Stepping]:
    """ALDI without the divergence of C."""
    step = partial(aldi_step, correction=0.0)
    scheme = integrator("aldi-uncorrected", step=step, noise="needed", accepts=True)
    return scheme(lambda size, temperature, stiffness: aldi(size, temperature, stiffness))


@claim("Garbuno-Inigo, Nuesken and Reich 2020, equation 3.6", wrong="no correction by the divergence of C")
def ensemble_law(seed: int, wrong: bool, *, particles: int = 6, steps: int = 10_000, step_size: float = 0.05) -> Checks:
    """Independent draws are stationary under ALDI, for few particles too.

    Second moments of six particles over a long time, divided by those of a normal law of condition 50. Without the
    correction they are about half as large.
    """
    start = np.random.default_rng(seed).multivariate_normal(np.zeros(2), COVARIANCE, particles)
    scheme = uncorrected() if wrong else "aldi"
    settings = {"loss": LOSS, "prior": pg.priors.Flat(2), "initial": start, "integrator": scheme, "record_every": 10}
    run = problems.simulate(pg.methods.DLE(1.0), seed, particles, steps, step_size, **settings)
    squares = (run.positions[1:] ** 2).mean(axis=1) / np.diag(COVARIANCE)
    batches = np.stack([part.mean(axis=0) for part in np.array_split(squares, BATCHES)])
    error = batches.std(axis=0, ddof=1) / np.sqrt(BATCHES)
    off = float(np.max(np.abs(batches.mean(axis=0) - 1.0) / error))
    return Check("largest deviation of a second moment, in standard errors", off, chance.student(BATCHES, looks=2))
