"""The problem of Figure 5.2, on which most claims are tried, and what is known of it in closed form."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

import particlegvi as pg

LOSS = pg.losses.get("tilted-double-well")
PRIOR = pg.priors.Normal(mean=0.0, sd=1.0)
KERNEL = pg.kernels.SquaredExponential(lengthscale=1.0)
DLE = pg.methods.DLE(kl_weight=1.0)
DRLE = pg.methods.DRLE(kl_weight=1.0, mmd_weight=0.5, kernel=KERNEL)
# Weights that differ, so that swapping them shows, and a repulsion that can be seen.
STRONG = pg.methods.DRLE(kl_weight=0.5, mmd_weight=1.0, kernel=KERNEL)
LOSS_FORMULA = "3/2*(t**4/4 + t**3/3 - t**2) - 3/8"
# mu_P of the prior N(0, 1) under the kernel of lengthscale 1
EMBEDDING_FORMULA = "exp(-t**2/4)/sqrt(2)"
WINDOW = (-3.8, 2.8)


@cache
def target(method: Any) -> Any:
    """Q* of a method on this problem."""
    return pg.target(LOSS, method, prior=PRIOR)


def loss(t: np.ndarray) -> np.ndarray:
    """The loss, written out once more."""
    return 1.5 * (t**4 / 4.0 + t**3 / 3.0 - t**2) - 0.375


def embedding(t: np.ndarray) -> np.ndarray:
    """mu_P, the mean of exp(-(t - T)^2 / 2) over T ~ N(0, 1)."""
    return np.exp(-0.25 * t**2) / math.sqrt(2.0)


def potential(t: np.ndarray, method: Any) -> np.ndarray:
    """V = loss - lambda1 mu_P - lambda2 log p of 5.4.3, up to a constant."""
    return loss(t) - 2.0 * method.mmd_weight * embedding(t) + method.kl_weight * 0.5 * t**2


def swapped(method: Any) -> Any:
    """A loss under which V is the one that C.7 prints: loss - lambda1 log p - lambda2 mu_P."""
    change = 2.0 * method.mmd_weight - method.kl_weight
    return pg.Loss.from_formula(f"{LOSS_FORMULA} + {change}*t**2/2 + {change}*{EMBEDDING_FORMULA}", variables=["t"])


def simulate(method: Any, **settings: Any) -> Any:
    """Simulate a method on this problem, start and end kept, unless the settings say otherwise."""
    given: dict[str, Any] = {"loss": LOSS, "prior": PRIOR, "record_every": 0} | settings
    return pg.simulate(method=method, **given)
