"""Derivatives that the objectives of inducing points share: of a Cholesky factor, and of kernel matrices."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances.covariance import Covariance

LADDER = (1e-10, 1e-9, 1e-8, 1e-7, 1e-6)  # jitters in the search only, relative to the largest prior variance


def factor(matrix: Array) -> Array:
    """The lower Cholesky factor of k(Z, Z) with the first jitter of the ladder that helps.

    Raises
    ------
    ValueError
        If none does.
    """
    largest = float(matrix.diagonal().max())
    for jitter in LADDER:
        try:
            return linalg.cholesky(matrix + jitter * largest * np.eye(len(matrix)), lower=True)
        except linalg.LinAlgError:
            continue
    raise ValueError("the covariance must be positive semi-definite, not one with a negative eigenvalue")


def through_factor(L: Array, in_factor: Array) -> Array:
    """The gradient in a symmetric matrix L L^T, symmetric itself, from that in its lower Cholesky factor.

    With S the lower triangle of L^T G, its diagonal halved, it is the symmetric part of L^-T S L^-1.

    Source: Murray (2016), (10).
    """
    inside = np.tril(L.T @ np.tril(in_factor))
    inside.flat[:: len(L) + 1] *= 0.5
    left = linalg.solve_triangular(L, inside, lower=True, trans="T")
    both = linalg.solve_triangular(L, left.T, lower=True, trans="T")
    return 0.5 * (both + both.T)


def in_points(k: Covariance, Z: Array, among: Array, *others: tuple[Array, Array]) -> Array:
    """The gradient in Z of ``sum(among * k(Z, Z))``, with ``among`` symmetric, and of all ``sum(w * k(Z, X))``."""
    gradient = k.input_gradient(Z, Z, 2.0 * among)
    for X, weights in others:
        gradient += k.input_gradient(Z, X, weights)
    return gradient
