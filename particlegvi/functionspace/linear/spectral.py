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

from particlegvi.contracts import Array
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.tools.arguments import fraction, points

__all__ = ["spectral"]


@one_blas_thread()
def spectral(samples: ArrayLike, at: ArrayLike | None = None, kept: float = 0.99) -> Array:
    """The score of the law of samples, an array like the inputs ``at``.

    Parameters
    ----------
    samples : array (n, dim)
        At least two samples. The widths of the kernel are the medians of ``|x_i - x_j|`` in each coordinate, over all
        pairs i, j, i = j included, times sqrt(dim); 1 where that is 0.
    at : array (m, dim), optional
        Inputs; the samples if not given.
    kept : float
        Upper bound on the eigenvalues' share that the eigenfunctions in use have, between 0 and 1.

    Source: Shi, Sun and Zhu (2018), (7), (12), algorithm of section 3; the widths follow Sun, Zhang, Shi and Grosse
    (2019), and depend on the samples only.
    """
    x = points("samples", samples, least=2)
    share = fraction("kept", kept)
    medians = np.array([np.median(np.abs(column[:, None] - column)) for column in x.T]) * np.sqrt(x.shape[1])
    widths = np.where(medians > 0.0, medians, 1.0)
    z = (x - x.mean(axis=0)) / widths
    gram = _kernel(z, z)
    values, vectors = linalg.eigh(gram)
    values, vectors = values[::-1], vectors[:, ::-1]
    number = max(int(np.sum(np.cumsum(values / values.sum()) < share)), 1)
    values, vectors = values[:number], vectors[:, :number]
    # (1/n) sum_n grad_n k(x_n, x_m), in units of the widths
    slopes = -(gram @ z - gram.sum(axis=0)[:, None] * z) / len(x)
    # Combine the two factors sqrt(n) / w_j, one of psi_j and one of b_j.
    weights = -len(x) * (vectors / values**2) @ (vectors.T @ slopes) / widths
    if at is None:
        return gram @ weights
    return _kernel((points("at", at, x.shape[1]) - x.mean(axis=0)) / widths, z) @ weights


def _kernel(a: Array, b: Array) -> Array:
    squares = np.sum(a * a, axis=1)[:, None] + np.sum(b * b, axis=1) - 2.0 * a @ b.T
    return np.exp(-0.5 * np.maximum(squares, 0.0))
