"""Repulsion between features phi(theta) of particles, pulled back to the particles: any kernel, all pairs.

kappa(theta, theta') = k(phi(theta), phi(theta')) is a kernel on particles, so that every
formula of the repulsion holds for it. Its gradient is J(theta)^T grad_1 k with the Jacobian J of the features.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from particlegvi.contracts import Array, Kernel, Prior
from particlegvi.engine.numerics.compiled import compiled, nested
from particlegvi.engine.numerics.vectors import WIDTH, broadcast, fma, load, store, subtract, total
from particlegvi.engine.pairs.repulsion import Repulsion


class Features(Protocol):
    """A function phi of particles with its Jacobian."""

    def of(self, particles: Array, /) -> Array: ...  # (particles, features)
    def pull_back(self, particles: Array, slopes: Array, /) -> Array: ...  # J^T slopes, (particles, dim)
    def marginal(self, prior: Prior, /) -> Prior | None: ...  # distribution of phi under a prior; None if unnamed


@nested
def pair_forces(kernel, first, second, factor, out):
    """out_i += factor sum_j grad_1 k(first_i, second_j), rows of flat arrays as long as a multiple of WIDTH.

    ``first``, ``second`` and ``out`` are (flat array, rows), with the same length of a row.
    """
    x, number = first
    y, others = second
    row = x.size // number
    weights = np.empty(WIDTH)
    for i in range(number):
        at = i * row
        for begin in range(0, others, WIDTH):  # so many at once, whose slopes are computed side by side
            count = min(WIDTH, others - begin)
            for j in range(WIDTH):
                other = (begin + min(j, count - 1)) * row
                squares = broadcast(0.0)
                for k in range(0, row, WIDTH):
                    gap = subtract(load(x, at + k), load(y, other + k))
                    squares = fma(gap, gap, squares)
                weights[j] = total(squares)
            for j in range(WIDTH):
                weights[j] = 2.0 * factor * kernel.slope(weights[j])
            for k in range(0, row, WIDTH):
                own = load(x, at + k)
                sums = load(out, at + k)
                for j in range(count):
                    gap = subtract(own, load(y, (begin + j) * row + k))
                    sums = fma(broadcast(weights[j]), gap, sums)
                store(out, at + k, sums)


@compiled
def add_pairs(kernel, first, second, factor, out):
    """`pair_forces`, from Python."""
    pair_forces(kernel, first, second, factor, out)


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
        self.samples = 0 if attraction.draws is None else len(attraction.draws)
        self.algorithms, self.tolerance = [], 0.0
        self.used = {}
        self.attracts = True
        self._series = None
        self._pairs = add_pairs.for_terms(kernel)

    def force(self, positions: Array, factor: float, out: Array, step: int = 0) -> None:
        out[...] = self.features.pull_back(positions, self.slopes(self.features.of(positions), factor))
        self.note(self.name, 1)

    def slopes(self, features: Array, factor: float) -> Array:
        """The force on the features (particles, features) themselves."""
        number, size = features.shape
        flat = padded(features)
        force = np.zeros_like(flat)
        self._pairs(self.kernel, (flat, number), (flat, number), factor / number, force)
        if self.draws is not None:
            self._pairs(self.kernel, (flat, number), (self.draws, self.samples), -factor / self.samples, force)
        slopes = np.ascontiguousarray(force.reshape(number, -1)[:, :size])
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


def padded(features: Array) -> Array:
    """Features (n, size) as a flat array whose rows end with zeros up to a multiple of WIDTH."""
    number, size = features.shape
    rows = np.zeros((number, -(-size // WIDTH) * WIDTH))
    rows[:, :size] = features
    return rows.reshape(-1)
