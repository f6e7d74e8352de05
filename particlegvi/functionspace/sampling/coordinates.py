"""The coordinates in which the particles move: coefficients of the basis, scaled and rotated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array

ROWS = 2048  # rows of a copied block


class Coordinates(NamedTuple):
    """u = scales * (rotation z), for coefficients u and coordinates z in the rows of arrays (particles, dim)."""

    scales: Array
    rotation: Array

    def coefficients(self, z: Array) -> Array:
        """The coefficients u of coordinates z."""
        return (z @ self.rotation.T) * self.scales

    def of(self, u: Array) -> Array:
        """The coordinates z of coefficients u."""
        return (u / self.scales) @ self.rotation

    def precision(self, prior_variances: Array) -> Array:
        """The precision matrix (dim, dim) of the prior of z, for independent u with these variances."""
        return self.rotation.T @ ((self.scales**2 / prior_variances)[:, None] * self.rotation)

    def features_in_place(self, features: Array) -> Array:
        """Replace the features (rows, dim) that multiply u, in place, by those that multiply z."""
        for low in range(0, len(features), ROWS):
            block = features[low : low + ROWS]
            block[...] = (block * self.scales) @ self.rotation
        return features


def weighted_gram(features: Array, weights: Array | None) -> Array:
    """features^T diag(weights) features, (dim, dim), symmetric, without a copy of the features."""
    rows, dim = features.shape
    total = np.zeros((dim, dim))
    for low in range(0, rows, ROWS):
        block = features[low : low + ROWS]
        total += block.T @ (block if weights is None else block * weights[low : low + ROWS, None])
    return 0.5 * (total + total.T)


def identity(dim: int) -> Coordinates:
    """Coordinates equal to the coefficients."""
    return Coordinates(np.ones(dim), np.eye(dim))


def whitened(features: Array, prior_variances: Array, weights: Array | None, weight: float = 1.0) -> tuple:
    """Coordinates in which the prior is N(0, I) and the data's curvature, with these weights, is diagonal.

    Parameters
    ----------
    features : array (rows, dim)
    prior_variances : array (dim,)
        Prior variances of the coefficients.
    weights : array (rows,) or None
        Weights of the rows: the curvature of the cost at a reference. None for the constant ``weight``.

    Returns
    -------
    coordinates : Coordinates
    stiffness : array (dim,)
        s_i >= 0: the curvature of the data's cost along each coordinate.
    """
    roots = np.sqrt(prior_variances)
    gram = weight * weighted_gram(features, weights)
    eigenvalues, vectors = linalg.eigh(roots[:, None] * gram * roots)
    return Coordinates(roots, vectors), np.maximum(eigenvalues, 0.0)
