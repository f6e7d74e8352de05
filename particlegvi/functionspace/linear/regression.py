"""Linear and logistic regression, the simplest comparators."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from scipy.special import expit

from particlegvi.contracts import Array
from particlegvi.functionspace.newton import newton
from particlegvi.functionspace.preprocessing import two_labels
from particlegvi.tools.arguments import points, scale, vector
from particlegvi.tools.html import Card

SETTLED = 1e-20  # of the energy of a row


class LinearRegression(Card):
    """Ordinary least squares with an intercept.

    Constant or linearly dependent columns are allowed: of several solutions, the one with the least norm for
    standardised columns is taken, and the coefficient of a constant column is 0.

    Attributes
    ----------
    intercept : float
    coefficients : array (dim,)
    noise_variance : float
        The residual sum of squares divided by (number of rows - rank); NaN if this number is 0.
    """

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit inputs (n, dim) and targets (n,)."""
        x = points("X", X)
        t = vector("y", y, len(x))
        self._middle = x.mean(axis=0)
        centred = x - self._middle
        sd = centred.std(axis=0)
        constant = sd <= len(x) * np.finfo(float).eps * np.abs(x).max(axis=0)  # constant up to rounding
        scale = np.where(constant, 0.0, 1.0 / np.where(constant, 1.0, sd))
        u, s, vt = linalg.svd(centred * scale, full_matrices=False)
        kept = s > max(x.shape) * np.finfo(float).eps * math.sqrt(x.size)
        self._axes = scale[:, None] * vt[kept].T / s[kept]
        self.coefficients = self._axes @ (u[:, kept].T @ (t - t.mean()))
        self.intercept = float(t.mean() - self._middle @ self.coefficients)
        self._rows = len(x)
        left = len(x) - int(kept.sum()) - 1
        residual = t - self.predict(x)
        self.noise_variance = float(residual @ residual) / left if left > 0 else math.nan
        return self

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """The fitted values (n,), and with ``return_std`` their standard errors, without the noise."""
        x = points("X", X, len(self._middle))
        mean = self.intercept + x @ self.coefficients
        if not return_std:
            return mean
        leverage = 1.0 / self._rows + np.sum(((x - self._middle) @ self._axes) ** 2, axis=1)
        return mean, np.sqrt(self.noise_variance * leverage)


class LogisticRegression(Card):
    """The probability of label 1 as a logistic function of a linear one, by Newton's method.

    Minimises ``-log likelihood + penalty / 2 * |coefficients|^2``; the intercept is free. The penalty is small for a
    hundred or more rows with standardised inputs; it keeps the coefficients finite where the labels are separable.

    Parameters
    ----------
    penalty : float
        Weight of the penalty, positive.

    Attributes
    ----------
    intercept : float
    coefficients : array (dim,)
    """

    def __init__(self, penalty: float = 1.0) -> None:
        self.penalty = scale("penalty", penalty)

    def fit(self, X: ArrayLike, labels: ArrayLike) -> Self:
        """Fit inputs (n, dim) and labels (n,), 0 and 1; if all are equal, no finite intercept is best, a ValueError."""
        x = points("X", X)
        y = two_labels(labels, len(x))
        self._middle = x.mean(axis=0)
        design = np.hstack([np.ones((len(x), 1)), x - self._middle])
        ridge = np.append(0.0, np.full(x.shape[1], self.penalty))

        def energy(w: Array) -> float:
            f = design @ w
            return float(np.sum(np.logaddexp(0.0, f) - y * f) + 0.5 * np.sum(ridge * w * w))

        def step(w: Array) -> tuple[Array, float]:
            p = expit(design @ w)
            gradient = design.T @ (p - y) + ridge * w
            hessian = (design.T * (p * (1.0 - p))) @ design + np.diag(ridge)
            direction = linalg.solve(hessian, gradient, assume_a="pos")
            return direction, float(gradient @ direction)

        w, _ = newton(energy, step, np.zeros(design.shape[1]), SETTLED * len(x))
        self.coefficients = w[1:]
        self.intercept = float(w[0] - self._middle @ w[1:])
        return self

    def predict(self, X: ArrayLike) -> Array:
        """The probability of label 1, shape (n,)."""
        return expit(self.intercept + points("X", X, len(self._middle)) @ self.coefficients)
