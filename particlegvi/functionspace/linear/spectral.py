"""The spectral Stein estimator of the gradient of a log density (Shi, Sun and Zhu 2018).

With k a squared exponential, (w_j, u_j) the eigenpairs of its Gram matrix at n samples, largest first, and
psi_j(x) = sqrt(n) / w_j sum_m u_jm k(x, x_m) the eigenfunctions that they estimate, Stein's identity gives

    score(x) = sum_j b_j psi_j(x),     b_j = -(1/n) sum_m grad psi_j(x_m),                                   j <= J.

J is the largest number of eigenvalues whose share of the sum of all is below `KEPT`, and at least 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from particlegvi.contracts import Array
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.tools.arguments import points

__all__ = ["spectral"]

KEPT = 0.99


@one_blas_thread()
def spectral(samples: ArrayLike) -> Array:
    """The score of the law of two or more samples at these samples, (n, dim) both.

    The widths of the kernel are the medians of ``|x_i - x_j|`` in each coordinate, over all pairs i, j, i = j included,
    times sqrt(dim); 1 where that is 0.

    Source: Shi, Sun and Zhu (2018), (7), (12), algorithm of section 3; the widths follow Sun, Zhang, Shi and Grosse
    (2019), and depend on the samples only.
    """
    x = points("samples", samples, least=2)
    medians = np.array([np.median(np.abs(column[:, None] - column)) for column in x.T]) * np.sqrt(x.shape[1])
    widths = np.where(medians > 0.0, medians, 1.0)
    z = (x - x.mean(axis=0)) / widths
    squares = np.sum(z * z, axis=1)
    gram = np.exp(-0.5 * np.maximum(squares[:, None] + squares - 2.0 * z @ z.T, 0.0))
    values, vectors = linalg.eigh(gram)
    values, vectors = values[::-1], vectors[:, ::-1]
    number = max(int(np.sum(np.cumsum(values / values.sum()) < KEPT)), 1)
    values, vectors = values[:number], vectors[:, :number]
    # (1/n) sum_n grad_n k(x_n, x_m), in units of the widths
    slopes = -(gram @ z - gram.sum(axis=0)[:, None] * z) / len(x)
    # Combine the two factors sqrt(n) / w_j, one of psi_j and one of b_j.
    weights = -len(x) * (vectors / values**2) @ (vectors.T @ slopes) / widths
    return np.asarray(gram @ weights)
