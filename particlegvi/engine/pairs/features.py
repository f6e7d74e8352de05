"""Repulsion between features phi(theta) of particles, pulled back to the particles: any kernel, all pairs.

kappa(theta, theta') = k(phi(theta), phi(theta')) is a kernel on particles, so that every
formula of the repulsion holds for it. Its gradient is J(theta)^T grad_1 k with the Jacobian J of the features.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from particlegvi.contracts import Array, Facts, Kernel, Prior, Term
from particlegvi.engine.numerics.compiled import compiled, nested
from particlegvi.engine.numerics.vectors import WIDTH, broadcast, load, multiply_add, store, subtract, total
from particlegvi.engine.pairs.repulsion import Repulsion
from particlegvi.engine.terms import evaluate


class Features(Protocol):
    """A function phi of particles with its Jacobian."""

    def of(self, particles: Array, /) -> Array: ...  # (particles, features)
    def pull_back(self, particles: Array, slopes: Array, /) -> Array: ...  # J^T slopes, (particles, dim)
    def marginal(self, prior: Prior, /) -> Prior | None: ...  # distribution of phi under a prior; None if unnamed


@runtime_checkable
class FeatureKernel(Protocol):
    """A kernel that compares features: "outputs" at ``inputs``, or the parameters of the "last" or "first layer"."""

    @property
    def what(self) -> str: ...
    @property
    def kernel(self) -> Kernel: ...
    @property
    def inputs(self) -> Array | None: ...


@runtime_checkable
class Featured(Protocol):
    """An optional part of a loss: it knows features of its particles."""

    def features(self, kernel: FeatureKernel, /) -> Features: ...


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
                    squares = multiply_add(gap, gap, squares)
                weights[j] = total(squares)
            for j in range(WIDTH):
                weights[j] = 2.0 * factor * kernel.slope(weights[j])
            for k in range(0, row, WIDTH):
                own = load(x, at + k)
                sums = load(out, at + k)
                for j in range(count):
                    gap = subtract(own, load(y, (begin + j) * row + k))
                    sums = multiply_add(broadcast(weights[j]), gap, sums)
                store(out, at + k, sums)


@compiled
def add_pairs(kernel, first, second, factor, out):
    """`pair_forces`, from Python."""
    pair_forces(kernel, first, second, factor, out)


class Attraction:
    """The gradient of the mean embedding of the features' law under the prior: frozen draws, or a closed form.

    Parameters
    ----------
    draws : array (samples, features) or None
    term : Term or None
        The mean embedding in closed form.
    """

    def __init__(self, draws: Array | None = None, term: Term | None = None) -> None:
        self.draws = None if draws is None else padded(draws)
        self.samples = 0 if draws is None else len(draws)
        self.term = term


class FeatureRepulsion(Repulsion):
    """lambda1 ((1/N) sum_j grad_1 kappa(x_i, x_j) - grad mu_P(x_i)) for a kernel of features.

    Parameters
    ----------
    kernel : term
        k, with a number as its lengthscale.
    features : Features
    attraction : Attraction
    """

    name = "direct sum over features"

    def __init__(self, kernel: Kernel, features: Features, attraction: Attraction) -> None:
        self.kernel, self.features, self.attraction = kernel, features, attraction
        self.approximation = None
        self.algorithms = []
        self.used = {}
        self.attracts = True
        self._pairs = add_pairs.for_terms(kernel)

    @property
    def plan(self) -> None:
        """There is no Fourier series of features."""
        return None

    def take_in(self, attraction: tuple[float, float, float] | None) -> None:
        """Ignored: the attraction between features is part of the force already."""

    def force(self, positions: Array, factor: float, out: Array, step: int = 0) -> None:
        """out = the force times ``factor``, both (particles, dim)."""
        out[...] = self.features.pull_back(positions, self.slopes(self.features.of(positions), factor))
        self.note(self.name, 1)

    def slopes(self, found: Array, factor: float) -> Array:
        """The force on the features (particles, features) themselves."""
        number, size = found.shape
        flat = padded(found)
        force = np.zeros_like(flat)
        self._pairs(self.kernel, (flat, number), (flat, number), factor / number, force)
        given = self.attraction
        if given.draws is not None:
            self._pairs(self.kernel, (flat, number), (given.draws, given.samples), -factor / given.samples, force)
        slopes = np.ascontiguousarray(force.reshape(number, -1)[:, :size])
        if given.term is not None:
            slopes -= factor * evaluate.gradients(given.term, found)
        return slopes

    def facts(self) -> Facts:
        """Facts for the result."""
        return {"repulsion": dict(self.used), "repulsion_error_bound": 0.0}


def padded(features: Array) -> Array:
    """Features (n, size) as a flat array whose rows end with zeros up to a multiple of WIDTH."""
    number, size = features.shape
    found = np.zeros((number, -(-size // WIDTH) * WIDTH))
    found[:, :size] = features
    return found.reshape(-1)
