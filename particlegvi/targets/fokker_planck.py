"""The Wasserstein gradient flow on a grid of the line, without particles, noise or sampling error.

    dq/dt = d/dx ( q d/dx (V + lambda1 kappa * q) ) + lambda2 d2q/dx2                     (thesis 5.3.2, C.97)

in finite volumes with the exponentially fitted flux of Scharfetter and Gummel (1969), which is zero exactly where
q is proportional to exp(-(V + lambda1 kappa * q) / lambda2), and implicit steps in time. Between two cells the flux
runs from the higher to the lower of mu = V + lambda1 kappa * q + lambda2 log q, and the free energy F is convex for a
positive definite kernel, so that for the implicit step F(new) - F(old) <= sum mu(new) (new - old) <= 0 whatever the
step: F falls on the grid as it does in the theorem. Steps are first order in time, cells second order in space.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.linalg import solve_banded

from particlegvi.contracts import Loss, Method, Prior
from particlegvi.engine.terms import evaluate
from particlegvi.kernels import resolve
from particlegvi.priors import embedding
from particlegvi.targets.fixed_point import image, solve

MOST_ITERATIONS = 100
SETTLED = 1e-13  # L1 change at which the implicit equation counts as solved


class FokkerPlanck:
    """The flow of one free energy between two walls, with V at the centres (n,) of cells of equal width.

    ``kl_weight`` is lambda2, above 0, and ``kernel`` is kappa, a function of squared distances; it is needed where
    lambda1, the weight of the interaction, is not 0.
    """

    def __init__(
        self,
        potential: np.ndarray,
        centres: np.ndarray,
        kl_weight: float,
        lambda1: float = 0.0,
        kernel: Callable[[np.ndarray], np.ndarray] | None = None,
    ) -> None:
        self.potential, self.centres, self.kl_weight = potential, centres, kl_weight
        self.width = float(centres[1] - centres[0])
        self.interaction: np.ndarray | None = None
        if lambda1 != 0.0:
            assert kernel is not None
            self.interaction = lambda1 * kernel((centres[:, None] - centres[None, :]) ** 2)

    @classmethod
    def of(cls, loss: Loss, method: Method, prior: Prior, ends: tuple[float, float], cells: int = 321) -> FokkerPlanck:
        """The flow of DLE or DRLE between these ends."""
        centres = np.linspace(*ends, cells)
        at, kl_weight = centres[:, None], float(method.kl_weight)
        potential = np.asarray(loss.value(at), dtype=np.float64) - kl_weight * prior.log_density(at)
        lambda1 = 2.0 * float(method.mmd_weight)
        if lambda1 == 0.0:
            return cls(potential, centres, kl_weight)
        kernel, _ = resolve(method.kernel, prior)
        potential -= lambda1 * evaluate.values(embedding(prior, kernel).term, at)
        return cls(potential, centres, kl_weight, lambda1, partial(evaluate.profile_values, kernel))

    def shares(self, places: np.ndarray) -> np.ndarray:
        """The law of particles at places (n,) of the grid, as masses (n,)."""
        edges = np.append(self.centres - 0.5 * self.width, self.centres[-1] + 0.5 * self.width)
        counts = np.histogram(places, edges)[0]
        return np.asarray(counts / counts.sum())

    def field(self, masses: np.ndarray) -> np.ndarray:
        """V + lambda1 kappa * q at the centres."""
        return self.potential if self.interaction is None else self.potential + self.interaction @ masses

    def minimiser(self) -> np.ndarray:
        """The masses of Q* on this grid."""
        level = np.full(len(self.centres), np.log(self.width))
        start, _ = image(-self.potential / self.kl_weight, level, np.zeros(len(level)))
        if self.interaction is None:
            return start
        apply = partial(np.matmul, self.interaction)
        return solve(-self.potential / self.kl_weight, level, apply, 1.0 / self.kl_weight, start, 1e-13).masses

    def free_energy(self, masses: np.ndarray) -> float:
        """sum of V, half the interaction, and lambda2 times minus the entropy (thesis 5.6), of masses (n,)."""
        held = masses[masses > 0.0]
        total = masses @ self.potential + self.kl_weight * float(held @ np.log(held / self.width))
        return float(total if self.interaction is None else total + 0.5 * masses @ self.interaction @ masses)

    def step(self, masses: np.ndarray, step_size: float) -> np.ndarray:
        """The masses after one implicit Euler step; mass is kept, and stays positive."""
        new = masses
        for _ in range(MOST_ITERATIONS):
            before, new = new, self._linear(masses, self.field(new), step_size)
            if self.interaction is None or np.abs(new - before).sum() <= SETTLED:
                return new
        raise ArithmeticError("the implicit step did not settle; a smaller step_size is needed")

    def _linear(self, masses: np.ndarray, field: np.ndarray, step_size: float) -> np.ndarray:
        """One implicit step in a given field."""
        rise = np.diff(field) / self.kl_weight
        rate = step_size * self.kl_weight / self.width**2
        right, left = rate * _bernoulli(rise), rate * _bernoulli(-rise)  # mass that leaves a cell to either side
        bands = np.zeros((3, len(masses)))
        bands[1] = 1.0
        bands[1, :-1] += right
        bands[1, 1:] += left
        bands[0, 1:] = -left
        bands[2, :-1] = -right
        return solve_banded((1, 1), bands, masses)


def _bernoulli(z: np.ndarray) -> np.ndarray:
    """z / (exp(z) - 1), 1 at 0."""
    small = np.abs(z) < 1e-4
    safe = np.where(small, 1.0, z)
    with np.errstate(over="ignore"):
        return np.where(small, 1.0 - 0.5 * z + z * z / 12.0, safe / np.expm1(safe))
