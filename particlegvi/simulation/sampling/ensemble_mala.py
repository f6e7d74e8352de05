"""Metropolis-adjusted Langevin steps of one half of the ensemble, scaled by the covariance of the other half, in turns.

Given half B, the step of half A is an ordinary Metropolis step with a fixed matrix, so it leaves the law of A
invariant, and the other way round: exact, whatever the covariance (Goodman and Weare 2010, section 2, for ensembles
that move in turns). A linear map of the coordinates maps the steps.

    y = x - h C grad V(x) + sqrt(2 h) C^(1/2) xi,     C the covariance of the other half

This is a step of the leapfrog scheme with the momentum xi. In many dimensions xi keeps a part of the momentum at the
end of the step before, which a refusal reverses (Horowitz 1991): particles go on, and walk less at random.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array
from particlegvi.engine.numerics.noise import normals, uniforms
from particlegvi.simulation.sampling.posterior import Energy, EnergyPoints

Indices: TypeAlias = NDArray[np.intp]
ACCEPTANCE = 0.574  # optimal for this step in many dimensions (Roberts and Rosenthal 1998)
MANY = 20  # dimensions from which on a momentum pays
PERSISTENCE, HIGHER = 0.7, 0.7  # share of the momentum that stays, and the acceptance rate, as a refusal turns it round
SHORT = 0.2  # share of steps that are shorter, down to a thousandth of the length: particles that are stuck move
ENOUGH = 10  # particles of a half for each dimension; below, the covariance is shrunk


def scale(points: Array) -> Array:
    """A lower triangular root (dim, dim) of the covariance of points (n, dim).

    Where they are few it is moved towards that of the best normal of the start, the unit matrix, by dim / (n + dim).
    A QR decomposition of the points themselves keeps the digits that their covariance would lose.
    """
    number, dim = points.shape
    rows = (points - points.mean(axis=0)) / np.sqrt(number - 1.0)
    if number < ENOUGH * dim:
        share = dim / (number + dim)
        size = min(1.0, float((rows**2).sum()) / dim)
        rows = np.concatenate([np.sqrt(1.0 - share) * rows, np.sqrt(share * size) * np.eye(dim)])
    upper: Array = np.linalg.qr(rows, mode="r")  # type: ignore[assignment]  # numpy types all modes alike
    root = upper.T
    return root * np.where(np.diag(root) < 0.0, -1.0, 1.0)


class StepSize:
    """Dual averaging of the logarithm of the step size to an acceptance rate (Hoffman and Gelman 2014, algorithm 5)."""

    def __init__(self, dim: int, acceptance: float) -> None:
        self.acceptance = acceptance
        self.centre = np.log(1.6 * dim ** (-1.0 / 3.0))
        self.now = self.centre  # logarithm of the step size of the next step
        self.mean = self.centre  # the average, which stays when the adaptation ends
        self.error = 0.0
        self.count = 0

    def restart(self) -> None:
        """Adapt again, from the step size that is used now."""
        self.centre = self.now
        self.error, self.count = 0.0, 0

    def learn(self, acceptance: float) -> None:
        """Count the acceptance rate of a step."""
        self.count += 1
        self.error += (self.acceptance - acceptance - self.error) / (self.count + 3.0)
        self.now = self.centre - np.sqrt(self.count) / 0.3 * self.error
        share = self.count**-0.75
        self.mean = share * self.now + (1.0 - share) * self.mean

    def freeze(self) -> None:
        """Use the average from now on."""
        self.now = self.mean


class EnsembleMala:
    """An ensemble that moves by these steps.

    Attributes
    ----------
    now : EnergyPoints
        Where the particles are.
    momentum : array, (particles, dim)
        In units of the root of C.
    """

    def __init__(
        self, posterior: Energy, start: EnergyPoints, seed: int, scaling: Callable[[Array], Array] = scale
    ) -> None:
        self.posterior, self.scaling = posterior, scaling
        self.now = EnergyPoints(*(values.copy() for values in start))
        self.seed = seed
        self.momentum = normals(seed, "start", len(start.place), posterior.dim, 0)
        self.persistence, acceptance = (PERSISTENCE, HIGHER) if posterior.dim >= MANY else (0.0, ACCEPTANCE)
        self.step_size = StepSize(posterior.dim, acceptance)

    def step(self, step: int, adapting: bool) -> float:
        """Move both halves once; the acceptance rate of the steps of full length."""
        particles, dim = self.now.place.shape
        noise = normals(self.seed, "noise", particles, dim, step)
        chance = uniforms(self.seed, "acceptance", particles, 2, step)
        rates = []
        for first in (0, 1):
            rates.append(self._move(np.arange(first, particles, 2), noise, chance))
        acceptance = float(np.mean(rates))
        if adapting:
            self.step_size.learn(acceptance)
        return acceptance

    def others(self, rows: Indices) -> Array:
        """The particles that scale the steps of these: all others."""
        return np.delete(self.now.place, rows, axis=0)

    def _move(self, rows: Indices, noise: Array, chance: Array) -> float:
        """Move the particles of these rows by the covariance of the others."""
        root = self.scaling(self.others(rows))
        short = chance[rows, 1] < SHORT
        h = np.exp(self.step_size.now) * np.where(short, 10.0 ** (-3.0 * chance[rows, 1] / SHORT), 1.0)[:, None]
        x, energy, gradient = self.now.rows(rows)
        xi = self.persistence * self.momentum[rows] + np.sqrt(1.0 - self.persistence**2) * noise[rows]
        y = EnergyPoints.at(self.posterior, x + (np.sqrt(2.0 * h) * xi - h * gradient @ root) @ root.T)
        # the noise of the step back: x = y - h C grad V(y) + sqrt(2 h) C^(1/2) back, minus the momentum at y
        back = h * (gradient + y.gradient) @ root / np.sqrt(2.0 * h) - xi
        with np.errstate(over="ignore"):  # a step back that is too unlikely for a number
            log_ratio = energy - y.energy + 0.5 * (xi**2 - back**2).sum(axis=1)
        accepted = np.log(chance[rows, 0]) < log_ratio
        self.now.put(rows[accepted], y.rows(accepted))
        self.momentum[rows] = -np.where(accepted[:, None], back, xi)
        probability = np.exp(np.minimum(log_ratio, 0.0))
        return float(probability[~short].mean() if np.any(~short) else probability.mean())
