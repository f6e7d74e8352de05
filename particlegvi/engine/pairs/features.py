"""Repulsion between features phi(theta) of particles, pulled back to the particles: any kernel, all pairs.

kappa(theta, theta') = k(phi(theta), phi(theta')) is a kernel on particles, so that every
formula of the repulsion holds for it. Its gradient is J(theta)^T grad_1 k with the Jacobian J of the features.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from particlegvi.contracts import Array, Kernel, Prior
from particlegvi.engine.pairs.direct import padded, pair_forces
from particlegvi.engine.pairs.repulsion import Repulsion


class Features(Protocol):
    """A function phi of particles with its Jacobian."""

    def of(self, particles: Array, /) -> Array: ...  # (particles, features)
    def pull_back(self, particles: Array, slopes: Array, /) -> Array: ...  # J^T slopes, (particles, dim)
    def marginal(self, prior: Prior, /) -> Prior | None: ...  # distribution of phi under a prior; None if unnamed


class Attraction(NamedTuple):
    """The mean embedding mu_P of the law of the features under the prior; without a field there is no attraction."""

    draws: Array | None = None  # (samples, features) from this law, whose mean stands for mu_P
    gradient: Callable[[Array], Array] | None = None  # of mu_P in closed form, at features (n, features)


class FeatureRepulsion(Repulsion):
    """lambda1 ((1/N) sum_j grad_1 kappa(x_i, x_j) - grad mu_P(x_i)) for a kernel of features with a resolved k."""

    name = "direct sum over features"
    fresh: ClassVar[bool] = False  # whether the features change from step to step

    def __init__(self, kernel: Kernel, features: Features, attraction: Attraction) -> None:
        self.kernel, self.features, self.gradient = kernel, features, attraction.gradient
        self.draws = None if attraction.draws is None else padded(attraction.draws)
        self.algorithms, self.tolerance = [], 0.0
        self.used = {}
        self.attracts = True
        self._series = None

    def force(self, positions: Array, factor: float, out: Array, step: int = 0) -> None:
        out[...] = self.features.pull_back(positions, self.slopes(self.features.of(positions), factor))
        self.note(self.name, 1)

    def slopes(self, features: Array, factor: float) -> Array:
        """The force on the features (particles, features) themselves."""
        own = padded(features)
        force = np.zeros_like(own)
        pair_forces(self.kernel, own, own, factor / len(own), force)
        if self.draws is not None:
            pair_forces(self.kernel, own, self.draws, -factor / len(self.draws), force)
        slopes = np.ascontiguousarray(force[:, : features.shape[1]])
        if self.gradient is not None:
            slopes -= factor * self.gradient(features)
        return slopes


class FreshRepulsion(FeatureRepulsion):
    """The repulsion of features that every step draws anew: ``at(step)`` is a function of the step's number alone."""

    name = "direct sum over fresh features"
    fresh = True

    def __init__(self, kernel: Kernel, at: Callable[[int], FeatureRepulsion]) -> None:
        super().__init__(kernel, at(0).features, Attraction())
        self._at = at

    def force(self, positions: Array, factor: float, out: Array, step: int = 0) -> None:
        self._at(step).force(positions, factor, out)
        self.note(self.name, 1)
