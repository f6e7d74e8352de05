"""The best Gaussian distribution of coefficients for a Gaussian likelihood, in closed form."""

from __future__ import annotations

import math

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array
from particlegvi.functionspace.basis.fourier_sums import Products
from particlegvi.functionspace.gp.natural_gradient import Law


def collapsed(features: Array, left: Array, y: Array, noise_variance: float) -> tuple[Law, float]:
    """The optimal distribution for a Gaussian likelihood, with precision ``I + E^T E / noise``, and its lower bound.

    Source: Titsias (2009), (9), (10), in whitened coordinates.
    """
    whitened = Products(features.T @ features, features.T @ y, float(y @ y), len(y))
    return from_products(whitened, left.sum(), noise_variance)


def from_products(whitened: Products, left: float, noise_variance: float) -> tuple[Law, float]:
    """`collapsed` from E^T E, E^T y, y^T y, and ``left``, the sum of the residual variances."""
    precision = np.eye(len(whitened.gram)) + whitened.gram / noise_variance
    factor = linalg.cholesky(precision, lower=True)
    projected = whitened.projected / noise_variance
    mean = linalg.cho_solve((factor, True), projected)
    squares = whitened.square / noise_variance - projected @ mean  # y^T (E E^T + noise I)^-1 y
    log_determinant = 2.0 * np.sum(np.log(factor.diagonal()))
    log_determinant = log_determinant + whitened.rows * math.log(2.0 * math.pi * noise_variance)
    return Law(mean, precision, factor), float(-0.5 * (squares + log_determinant + left / noise_variance))
