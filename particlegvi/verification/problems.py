"""The problem of Figure 5.2, on which most claims are tested, and its closed forms."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import particlegvi as pg
from particlegvi.contracts import Facts
from particlegvi.targets import DensityTarget

if TYPE_CHECKING:
    from particlegvi.contracts import Loss, Method, Prior
    from particlegvi.simulation.run import Run

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
WINDOW = (-3.8, 2.8)


@cache
def target(method: Method) -> DensityTarget:
    """Q* of a method with a kl_weight on this problem."""
    return density(LOSS, method, PRIOR)


def density(loss: Loss, method: Method, prior: Prior) -> DensityTarget:
    """Q* of a method with a kl_weight."""
    found = pg.target(loss, method, prior=prior)
    assert isinstance(found, DensityTarget)
    return found


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


def simulate(method: Method, **settings: Any) -> Run:
    """Simulate a method on this problem and record start and end; ``settings`` override these defaults."""
    given: Facts = {"loss": LOSS, "prior": PRIOR, "record_every": 0} | settings
    return pg.simulate(method=method, **given)
