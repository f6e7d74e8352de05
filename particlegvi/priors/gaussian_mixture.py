"""A mixture of Gaussians as a prior: several places that are likely before anything is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics import noise
from particlegvi.losses.gaussian_mixture import GaussianMixture as MixtureTerm
from particlegvi.priors.gaussian_sums import MixtureEmbedding
from particlegvi.priors.parameters import FromParameters
from particlegvi.tools.arguments import LARGEST_SCALE, SCALE, SMALLEST_SCALE, array, finite, frozen, locations, whole
from particlegvi.tools.calls import explains_bad_calls, shares_parameters
from particlegvi.tools.quoting import refuse


@shares_parameters(MixtureTerm)
@explains_bad_calls
class GaussianMixture(FromParameters):
    """Mixture of Gaussians with independent coordinates: sum_k weight_k N(mean_k, diag(sd_k^2)).

    Attributes
    ----------
    dim : int
    means, sds : arrays (components, dim)
    weights : array (components,)
        They add up to 1.
    mean, sd : arrays (dim,)
        Mean and standard deviations of the mixture.
    low, high : arrays (dim,)
        Minus and plus infinity.
    """

    name = "gaussian-mixture"

    def __init__(self, means: ArrayLike, sds: ArrayLike = 1.0, weights: ArrayLike | None = None) -> None:
        for key, value in (("means", means), ("sds", sds), ("weights", weights)):
            if value is not None or key == "means":
                finite(key, array(key, value, "an array of finite numbers"), "finite numbers")
        term = MixtureTerm(means, sds, weights)
        if not np.all((term.sds >= SMALLEST_SCALE) & (term.sds <= LARGEST_SCALE)):
            raise refuse("sds", sds, SCALE)
        self._term = term._replace(means=term.means.copy(), sds=term.sds.copy())
        self.distinct = _distinct(term)
        self.means, self.sds, self.weights = frozen(term.means), frozen(term.sds), frozen(term.weights)
        self.dim = self.means.shape[1]
        self.mean = frozen(self.weights @ self.means)
        self.sd = frozen(np.sqrt(self.weights @ (self.sds**2 + (self.means - self.mean) ** 2)))
        self.low = frozen(np.full(self.dim, -np.inf))
        self.high = frozen(np.full(self.dim, np.inf))

    def parameters(self) -> Facts:
        return {"means": self.means.tolist(), "sds": self.sds.tolist(), "weights": self.weights.tolist()}

    def _exponents(self, x: Array) -> Array:
        """Logarithms of weight_k N(x; mean_k, sd_k), (n, distinct components)."""
        term = self.distinct
        with np.errstate(over="ignore"):
            z = (x[:, None] - term.means) / term.sds
            return term.log_peaks - 0.5 * (z * z).sum(axis=2)

    def log_density(self, x: ArrayLike) -> Array:
        """log p at points (n, dim), shape (n,)."""
        exponents = self._exponents(locations(x, self.dim))
        top = exponents.max(axis=1)
        with np.errstate(invalid="ignore"):  # at points so far out that the density is zero
            return np.where(np.isfinite(top), top + np.log(np.exp(exponents - top[:, None]).sum(axis=1)), -np.inf)

    def gradient(self, x: ArrayLike) -> Array:
        """Gradient of log p at points (n, dim), shape (n, dim)."""
        at = locations(x, self.dim)
        exponents = self._exponents(at)
        shares = np.exp(exponents - exponents.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        term = self.distinct
        return np.asarray((shares[:, :, None] * (term.means - at[:, None]) / term.sds**2).sum(axis=1))

    def sample(self, particles: int, seed: int = 0, role: str = "start") -> Array:
        """Independent draws, shape (particles, dim): functions of the seed, the role and their index alone."""
        particles = whole("particles", particles, 1)
        u = noise.uniforms(seed, role, particles, self.dim + 1)[:, self.dim]  # of a coordinate that no normal uses
        edges = np.cumsum(self.weights)
        component = np.minimum(np.searchsorted(edges, u * edges[-1], side="right"), len(edges) - 1)
        return self.means[component] + self.sds[component] * noise.normals(seed, role, particles, self.dim)

    def term(self) -> MixtureTerm:
        """Minus the log density, for the engine: the loss of the same name."""
        return self._term

    def smooth(self, lengthscales: Array, weights: Array) -> MixtureEmbedding:
        """``x -> sum_q weights_q E exp(-|x - T|^2 / (2 lengthscales_q^2))`` for T with this distribution, as a term.

        Each Gaussian of the mixture smooths each one of the sum to one Gaussian.
        """
        components, scales = len(self.weights), len(weights)
        with np.errstate(over="ignore"):
            ratio = self.sds[:, None] / lengthscales[:, None]  # (components, scales, dim)
            variances = self.sds[:, None] ** 2 + lengthscales[:, None] ** 2
            heights = np.outer(self.weights, weights) * np.exp(-0.5 * np.log1p(ratio * ratio).sum(axis=2))
        centres = np.ascontiguousarray(np.repeat(self.means, scales, axis=0))
        shape = (components * scales, self.dim)
        return MixtureEmbedding(centres, np.ascontiguousarray((1.0 / variances).reshape(shape)), heights.reshape(-1))


def _distinct(term: MixtureTerm) -> MixtureTerm:
    """This density without a Gaussian twice: equal ones have their weights together, at the place of the first."""
    rows = np.concatenate([term.means, term.sds], axis=1)
    _, first, group = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    if len(first) == len(rows):
        return term
    weights, order = np.bincount(np.ravel(group), term.weights), np.argsort(first)
    kept = first[order]
    return MixtureTerm(term.means[kept], term.sds[kept], weights[order])
