"""Derivatives and integrals of covariances on the line, as functions of the difference r of the inputs.

With k(r) of variance 1, order 0 is k itself, orders 1 and 2 are its derivatives, order -1 is K1(r) = int_0^r k (odd),
and order -2 is K2(r) = int_0^r K1 (even). Take two functionals of F: the derivative of order i at p and that of order j
at q (order -1 is an integral). Their covariance is (-1)^j times the function of order i + j at p - q.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import erf

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.covariances.stationary import Matern12, Matern32, Matern52

NEAR = 0.5  # below this t the integrals are sums over nodes, which lose no digits by cancellation
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)
SMOOTHNESS: dict[type[Covariance], int] = {Matern12: 0, Matern32: 1, Matern52: 2}  # p of a Matern of order p + 1/2
# 1 / e^-t of t: k, and what is left of t K1 / r and of lam^2 K2 at large t, see `matern`
FAR_ONE: dict[int, tuple[float, Callable[[Array], Array]]] = {
    0: (1.0, lambda t: np.ones_like(t)),
    1: (2.0, lambda t: 2.0 + t),
    2: (8.0 / 3.0, lambda t: 8.0 / 3.0 + 5.0 / 3.0 * t + t * t / 3.0),
}
FAR_TWO: dict[int, tuple[float, float, Callable[[Array], Array]]] = {
    0: (1.0, 1.0, lambda t: np.ones_like(t)),
    1: (2.0, 3.0, lambda t: 3.0 + t),
    2: (8.0 / 3.0, 5.0, lambda t: 5.0 + 7.0 / 3.0 * t + t * t / 3.0),
}


def smoothness(covariance: Covariance) -> int | None:
    """p of a Matern covariance of order p + 1/2 for p = 0, 1 or 2; None for every other covariance."""
    return SMOOTHNESS.get(type(covariance))


def decay(smooth: int, lengthscale: float) -> float:
    """lam = sqrt(2 p + 1) / lengthscale."""
    return math.sqrt(2.0 * smooth + 1.0) / lengthscale


def squared_exponential(r: Array, order: int, lengthscale: Array | float) -> Array:
    """The squared exponential's derivative or integral of this order; lengthscales may differ from pair to pair."""
    square = np.square(lengthscale)
    k = np.exp(-0.5 * r * r / square)
    if order == 0:
        return k
    if order == 1:
        return -r / square * k
    if order == 2:
        return (r * r / square - 1.0) / square * k
    first = lengthscale * math.sqrt(0.5 * math.pi) * erf(r / (math.sqrt(2.0) * np.asarray(lengthscale)))
    if order == -1:
        return first
    near = np.abs(r) < NEAR * np.asarray(lengthscale)  # here r K1 and l^2 (k - 1) nearly cancel
    far = r * first + square * np.expm1(-0.5 * r * r / square)
    if not near.any():
        return far
    x = 0.5 * (1.0 + NODES)
    scaled = r[..., None] * x
    inner = np.exp(-0.5 * scaled**2 / np.broadcast_to(square, r.shape)[..., None])
    return np.where(near, r * r * np.sum(0.5 * WEIGHTS * (1.0 - x) * inner, axis=-1), far)


def matern(r: Array, order: int, smooth: int, lengthscale: float) -> Array:
    """The derivative or integral of this order of a Matern covariance; at r = 0 order 1 may jump, and 0 is returned."""
    lam = decay(smooth, lengthscale)
    t = lam * np.abs(r)
    if order == 0:
        return _profile(t, smooth)
    if order == 1:
        slope = {0: -np.exp(-t), 1: -t * np.exp(-t), 2: -t * (1.0 + t) / 3.0 * np.exp(-t)}[smooth]
        return lam * np.sign(r) * slope
    if order == 2:
        return lam**2 * {1: t - 1.0, 2: (t * t - t - 1.0) / 3.0}[smooth] * np.exp(-t)
    x = 0.5 * (1.0 + NODES)
    inner = _profile(np.minimum(t, NEAR)[..., None] * x, smooth)
    if order == -1:
        constant, rest = FAR_ONE[smooth]
        near = t * np.sum(0.5 * WEIGHTS * inner, axis=-1)
        return np.sign(r) / lam * np.where(t < NEAR, near, constant - rest(t) * np.exp(-t))
    steep, constant, rest = FAR_TWO[smooth]
    near = t * t * np.sum(0.5 * WEIGHTS * (1.0 - x) * inner, axis=-1)
    return np.where(t < NEAR, near, steep * t - constant + rest(t) * np.exp(-t)) / lam**2


def _profile(t: Array, smooth: int) -> Array:
    return {0: np.ones_like(t), 1: 1.0 + t, 2: 1.0 + t + t * t / 3.0}[smooth] * np.exp(-t)
