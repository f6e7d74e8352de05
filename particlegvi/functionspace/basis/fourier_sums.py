"""The sums over n rows that a Gaussian likelihood needs under Fourier features, in O(n M) instead of O(n M^2).

A product of cosines and sines is a sum of cosines and sines: 2 cos(a) cos(b) = cos(a - b) + cos(a + b). So the sums
C_m = sum_n cos w_m (x_n - low) and S_m = sum_n sin w_m (x_n - low), m = 0, ..., 2 M, give all products of features
inside [low, high]; sums weighted by y, m = 0, ..., M, give the products of features with y. These sums do not depend on
parameters of the covariance. Features outside [low, high], and the features of ``ends``, are combinations of the p + 1
functions c(x - edge) of `MaternState`; their products with cosines and sines are sums weighted by these functions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.engine.pairs.moments import moments
from particlegvi.functionspace import covariances
from particlegvi.functionspace.covariances.covariance import KernelLike
from particlegvi.functionspace.functionals import Fourier
from particlegvi.functionspace.functionals.matern_state import MaternState
from particlegvi.tools.arguments import points, vector


class Products(NamedTuple):
    """The products of features over rows.

    Attributes
    ----------
    gram : array (m, m)
        C_LD C_DL.
    projected : array (m,)
        C_LD y.
    square : float
        y^T y.
    rows : int
    """

    gram: Array
    projected: Array
    square: float
    rows: int


class FourierSums:
    """The sums over rows for Fourier functionals, computed once for all covariances.

    Parameters
    ----------
    functionals : Fourier
    X : array (n, 1)
    y : array (n,)
    """

    def __init__(self, functionals: Fourier, X: ArrayLike, y: ArrayLike) -> None:
        x = points("X", X, 1)[:, 0]
        t = vector("y", y, len(x))
        self.functionals, self.rows, self.square = functionals, len(x), float(t @ t)
        low, high, M = functionals.low, functionals.high, functionals.frequencies
        left, right = x < low, x > high
        inside = ~(left | right)
        self._inside = x[inside], t[inside]
        # each edge with the rows beyond it
        self._outside = [(edge, x[those], t[those]) for edge, those in ((low, left), (high, right)) if those.any()]
        self._turns = (self._inside[0] - low) / (high - low)
        self._alone = moments(self._turns, np.ones(len(self._turns)), 2 * M)
        self._targets = _stacked(moments(self._turns, self._inside[1], M))

    def products(self, covariance: KernelLike) -> Products:
        """The products under a covariance: O(M^2) if all rows are in [low, high] without ``ends``, else O(n M)."""
        k = covariances.of(covariance)
        self.functionals.check(k)
        at = MaternState.of(k)
        M = self.functionals.frequencies
        gram, projected = _products(self._alone, M), self._targets
        pulled = np.linalg.solve(at.matrix, self.functionals.rows(at)[: 2 * M + 1].T).T
        tails = []
        for edge, x, t in self._outside:
            c = at.tail(x - edge, 0)
            gram = gram + pulled @ (c @ c.T) @ pulled.T
            projected = projected + pulled @ (c @ t)
            tails.append((c, at.tail(x - self.functionals.high, 0), t))
        if self.functionals.ends:
            x, t = self._inside
            own = at.tail(x - self.functionals.high, 0)
            cross = np.array([_stacked(moments(self._turns, row, M)) for row in own]).T
            among, with_targets = own @ own.T, own @ t
            for c, beyond, targets in tails:
                cross, among = cross + pulled @ (c @ beyond.T), among + beyond @ beyond.T
                with_targets = with_targets + beyond @ targets
            gram = np.block([[gram, cross], [cross.T, among]])
            projected = np.concatenate([projected, with_targets])
        return Products(gram, projected, self.square, self.rows)


def _stacked(sums: Array) -> Array:
    """Stack the sums in the order of the functionals: cosines 0, ..., M, then sines 1, ..., M."""
    return np.concatenate([sums[0], sums[1, 1:]])


def _products(sums: Array, M: int) -> Array:
    """The sums of all products of two functions, from the sums of the modes 0, ..., 2 M."""
    C, S = sums
    i, j = np.arange(M + 1), np.arange(1, M + 1)
    cosines = 0.5 * (C[np.abs(i[:, None] - i)] + C[i[:, None] + i])
    sines = 0.5 * (C[np.abs(j[:, None] - j)] - C[j[:, None] + j])
    gap = j - i[:, None]
    mixed = 0.5 * (S[i[:, None] + j] + np.sign(gap) * S[np.abs(gap)])
    return np.block([[cosines, mixed], [mixed.T, sines]])
