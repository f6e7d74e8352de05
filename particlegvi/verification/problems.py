"""The problem of Figure 5.2, on which most claims are tested, its closed forms, and runs of it."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from scipy.special import ndtr

import particlegvi as pg
from particlegvi.contracts import Loss, Method, Prior
from particlegvi.simulation.run import Run
from particlegvi.targets import DensityTarget
from particlegvi.verification import chance
from particlegvi.verification.claim import Check

LOSS = pg.losses.get("tilted-double-well")
PRIOR = pg.priors.Normal(mean=0.0, sd=1.0)
KERNEL = pg.kernels.SquaredExponential(lengthscale=1.0)
DLE = pg.methods.DLE(kl_weight=1.0)
DRLE = pg.methods.DRLE(kl_weight=1.0, mmd_weight=0.5, kernel=KERNEL)
# The weights differ, so that swapping them is noticed, and the repulsion is strong enough to be seen.
STRONG = pg.methods.DRLE(kl_weight=0.5, mmd_weight=1.0, kernel=KERNEL)
LOSS_FORMULA = "3/2*(t**4/4 + t**3/3 - t**2) - 3/8"
# mu_P of the prior N(0, 1) under the kernel of lengthscale 1
EMBEDDING_FORMULA = "exp(-t**2/4)/sqrt(2)"


@cache
def target(method: pg.methods.DLE | pg.methods.DRLE) -> DensityTarget:
    """Q* of a method with a kl_weight on this problem."""
    return density(LOSS, method, PRIOR)


def density(loss: Loss, method: Method, prior: Prior) -> DensityTarget:
    """Q* of a method with a kl_weight."""
    minimiser = pg.target(loss, method, prior=prior)
    assert isinstance(minimiser, DensityTarget)
    return minimiser


def loss(t: np.ndarray) -> np.ndarray:
    """The loss of this problem, independent of the package."""
    return 1.5 * (t**4 / 4.0 + t**3 / 3.0 - t**2) - 0.375


def embedding(t: np.ndarray) -> np.ndarray:
    """mu_P, the mean of exp(-(t - T)^2 / 2) over T ~ N(0, 1)."""
    return np.exp(-0.25 * t**2) / math.sqrt(2.0)


def potential(t: np.ndarray, method: Method) -> np.ndarray:
    """V = loss - lambda1 mu_P - lambda2 log p of 5.4.3, up to a constant."""
    return loss(t) - 2.0 * method.mmd_weight * embedding(t) + method.kl_weight * 0.5 * t**2


def swapped(method: Method) -> pg.Loss:
    """A loss that gives V as it is printed in C.7: loss - lambda1 log p - lambda2 mu_P."""
    change = 2.0 * method.mmd_weight - method.kl_weight
    return pg.Loss.from_formula(f"{LOSS_FORMULA} + {change}*t**2/2 + {change}*{EMBEDDING_FORMULA}", variables=["t"])


def halved(method: pg.methods.DRLE, wrong: bool) -> pg.methods.DRLE:
    """With ``wrong`` lambda1 is mmd_weight, as in (C.114) and (C.115), without the 2 of the square in MMD^2."""
    return pg.methods.DRLE(method.kl_weight, method.mmd_weight * (0.5 if wrong else 1.0), KERNEL)


def standard_normal(white: np.ndarray, law: str) -> tuple[Check, Check]:
    """Checks that the columns of draws (n, dim), whitened by a law, are independent standard normals."""
    bound = chance.kolmogorov_smirnov(white.size, looks=2)
    return (
        Check(f"KS distance to {law}", chance.ks_to_cdf(white.ravel(), ndtr), bound),
        Check("largest correlation left, in standard errors", chance.largest_correlation(white), chance.ERRORS),
    )


def simulate(method: Method, seed: int, particles: int, steps: int, step_size: float, **settings: Any) -> Run:
    """Simulate a method on this problem and record start and end; ``settings`` override these defaults."""
    defaults: dict[str, Any] = {"loss": LOSS, "prior": PRIOR, "record_every": 0}
    sizes = {"particles": particles, "steps": steps, "step_size": step_size, "seed": seed}
    run = pg.simulate(method=method, **defaults | sizes | settings)
    start = settings.get("initial", run.prior)
    place = "given points" if isinstance(start, np.ndarray) else repr(start)
    simulated[f"{method!r}, {run.particles} particles from {place}, {steps} steps of {step_size:g}"] = None
    return run


simulated: dict[str, None] = {}  # the runs since the last claim, in words, for `verify NAME`
