"""The spectral Stein estimator of the gradient of a log density (Shi, Sun and Zhu 2018).

With k a squared exponential, (w_j, u_j) the eigenpairs of its Gram matrix at n samples, largest first, and
psi_j(x) = sqrt(n) / w_j sum_m u_jm k(x, x_m) the eigenfunctions that they estimate, Stein's identity gives

    score(x) = sum_j b_j psi_j(x),     b_j = -(1/n) sum_m grad psi_j(x_m),                                   j <= J.

J is the largest number of eigenvalues whose share of the sum of all is below ``kept``, and at least 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.tools.arguments import fraction, points
from particlegvi.tools.html import Card

__all__ = ["Spectral", "spectral"]


class Spectral(Card):
    """The score estimated from samples (n, dim); a call with inputs (m, dim) returns scores (m, dim).

    Parameters
    ----------
    samples : array (n, dim)
        At least two samples.
    kept : float
        Upper bound on the eigenvalues' share that the eigenfunctions in use have, above 0 and up to 1. With 1 every
        eigenfunction is used whose eigenvalue is not rounding, and the estimate explodes.

    Attributes
    ----------
    eigenfunctions : int
        J.
    widths : array (dim,)
        Widths of the kernel by coordinate: the median of ``|x_i - x_j|`` over all pairs i, j, i = j included,
        times sqrt(dim); 1 where that is 0.
    facts : dict
        ``samples``, ``kept``, ``eigenfunctions``, and ``constant``, the number of coordinates in which the median is 0.

    Source: Shi, Sun and Zhu (2018), (7), (12), algorithm of section 3; the widths follow Sun, Zhang, Shi and Grosse
    (2019), and depend on the samples only.
    """

    @one_blas_thread()
    def __init__(self, samples: ArrayLike, kept: float = 0.99) -> None:
        x = points("samples", samples, least=2)
        share = fraction("kept", kept, "1")
        medians = _medians(x) * np.sqrt(x.shape[1])
        self.widths = np.where(medians > 0.0, medians, 1.0)
        self._middle = x.mean(axis=0)
        self._z = (x - self._middle) / self.widths
        gram = _kernel(self._z, self._z)
        values, vectors = linalg.eigh(gram)
        values, vectors = values[::-1], vectors[:, ::-1]
        if share == 1.0:
            number = int(np.sum(values > len(x) * np.finfo(float).eps * values[0]))
        else:
            number = max(int(np.sum(np.cumsum(values / values.sum()) < share)), 1)
        values, vectors = values[:number], vectors[:, :number]
        # (1/n) sum_n grad_n k(x_n, x_m), in units of the widths
        slopes = -(gram @ self._z - gram.sum(axis=0)[:, None] * self._z) / len(x)
        # Combine the two factors sqrt(n) / w_j, one of psi_j and one of b_j.
        self._weights = -len(x) * (vectors / values**2) @ (vectors.T @ slopes) / self.widths
        self.eigenfunctions = number
        self.facts: Facts = {
            "samples": len(x), "kept": share, "eigenfunctions": number, "constant": int(np.sum(medians == 0.0)),
        }  # fmt: skip

    @one_blas_thread()
    def __call__(self, at: ArrayLike | None = None) -> Array:
        """The estimated gradients of the log density, (m, dim), at inputs (m, dim); at the samples if not given."""
        if at is None:
            return _kernel(self._z, self._z) @ self._weights
        x = points("at", at, len(self.widths))
        return _kernel((x - self._middle) / self.widths, self._z) @ self._weights


def spectral(samples: ArrayLike, at: ArrayLike | None = None, kept: float = 0.99) -> Array:
    """The scores of `Spectral` at inputs (m, dim), or at the samples."""
    return Spectral(samples, kept)(at)


def _medians(x: Array) -> Array:
    """The median of |x_i - x_j| over all n^2 pairs, in each coordinate."""
    return np.array([np.median(np.abs(column[:, None] - column)) for column in x.T])


def _kernel(a: Array, b: Array) -> Array:
    squares = np.sum(a * a, axis=1)[:, None] + np.sum(b * b, axis=1) - 2.0 * a @ b.T
    return np.exp(-0.5 * np.maximum(squares, 0.0))
