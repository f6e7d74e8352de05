"""Spherical harmonics: inner products of F with them on the unit sphere, in the space of a zonal covariance.

A covariance of the distance is a function h of the cosine t = a . b of two points of the sphere, and spherical
harmonics Y_lm are its eigenfunctions (Funk and Hecke),

    int k(a, b) Y_lm(b) db = lam_l Y_lm(a),    lam_l = 2 pi int_-1^1 h(t) P_l(t) dt,

with the Legendre polynomials P_l. The functionals L_lm F = <F, Y_lm>_k have Cov(L_lm F, F(x)) = Y_lm(x) and are
independent with variances 1 / lam_l. The integral is taken in u with t = 1 - 2 u^2: the distance 2 u is smooth in u.

Source: Dutordoir, Durrande and Hensman (2020); thesis 3.5.4.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy.special import eval_legendre

from particlegvi.contracts import Array
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.covariances.stationary import Stationary
from particlegvi.functionspace.functionals.functional import Functionals
from particlegvi.functionspace.functionals.terms import Terms
from particlegvi.tools.arguments import whole

MOST_DEGREE = 200
ROUND = 1e-8  # largest distance of an input to the sphere
NODES = 1024  # of Gauss and Legendre
SHORTEST = 1e-4  # lengthscale, for which they give the first eigenvalue to 5e-12
LEAST = 1e-14  # an eigenvalue below this part of the first is rounding


@cache
def _rule() -> tuple[Array, Array]:
    return np.polynomial.legendre.leggauss(NODES)


class SphericalHarmonics(Functionals):
    """Inner products with the real spherical harmonics of degree 0, ..., degree, for inputs (n, 3) on the unit sphere.

    They need a covariance of the distance with one lengthscale, such as `Matern52`.

    Parameters
    ----------
    degree : int
        The largest l, from 0 to 200: there are (degree + 1)^2 functionals, by l and then by m = -l, ..., l.
    """

    name = "spherical-harmonics"
    inputs = 3

    def __init__(self, degree: int) -> None:
        self.degree = whole("degree", degree, 0, MOST_DEGREE)

    def __len__(self) -> int:
        return (self.degree + 1) ** 2

    def check(self, covariance: Covariance) -> None:
        if not isinstance(covariance, Stationary) or covariance.lengthscale.ndim:
            raise ValueError(
                f"the covariance for {self.name} must be one of the distance with one lengthscale, not {covariance!r}"
            )
        if covariance.lengthscale < SHORTEST:
            raise ValueError(f"lengthscale must be at least {SHORTEST:g} on the sphere, not {covariance.lengthscale:g}")
        eigenvalues = self.eigenvalues(covariance)
        if not np.all(eigenvalues > LEAST * eigenvalues[0]):
            most = int(np.argmax(eigenvalues <= LEAST * eigenvalues[0])) - 1
            raise ValueError(f"degree must be at most {most} for {covariance!r}, not {self.degree}: further ones are 0")

    def eigenvalues(self, covariance: Covariance) -> Array:
        """lam_l for l = 0, ..., degree."""
        assert isinstance(covariance, Stationary)
        nodes, weights = _rule()
        u = 0.5 * (1.0 + nodes)
        h = covariance.variance * covariance.profile((2.0 * u / covariance.lengthscale) ** 2)
        degrees = np.arange(self.degree + 1)[:, None]
        return np.asarray(4.0 * math.pi * eval_legendre(degrees, 1.0 - 2.0 * u * u) @ (weights * u * h))

    def against(self, covariance: Covariance, terms: Terms) -> Array:
        if not terms.plain:
            raise ValueError(f"{self.name} must not be joined with functionals that are no points")
        length = np.linalg.norm(terms.place, axis=1)
        wrong = np.flatnonzero(np.abs(length - 1.0) > ROUND)
        if wrong.size:
            raise ValueError(f"inputs for {self.name} must have length 1, not {length[wrong[0]]:.6g} in row {wrong[0]}")
        return harmonics(terms.place, self.degree)

    def beside(self, covariance: Covariance, other: Functionals) -> Array:
        if not isinstance(other, SphericalHarmonics):
            return super().beside(covariance, other)
        table = np.zeros((len(self), len(other)))
        few = self if len(self) <= len(other) else other
        np.fill_diagonal(table, np.repeat(1.0 / few.eigenvalues(covariance), 2 * np.arange(few.degree + 1) + 1))
        return table

    def state(self) -> dict[str, Array]:
        return {"degree": np.array(float(self.degree))}


def harmonics(x: Array, degree: int) -> Array:
    """Real spherical harmonics at points (n, 3) of the sphere, orthonormal for its area, ((degree + 1)^2, n)."""
    table, turn = np.empty(((degree + 1) ** 2, len(x))), np.ones(len(x), dtype=complex)
    start = math.sqrt(0.25 / math.pi)
    for m in range(degree + 1):
        if m:
            turn = turn * (x[:, 0] + 1j * x[:, 1])
            start *= math.sqrt((2 * m + 1) / (2 * m))
        before, now = np.zeros(len(x)), np.full(len(x), start)
        for l in range(m, degree + 1):
            if l > m:
                last = math.sqrt(((l - 1) ** 2 - m * m) / (4 * (l - 1) ** 2 - 1))
                before, now = now, math.sqrt((4 * l * l - 1) / (l * l - m * m)) * (x[:, 2] * now - last * before)
            middle = l * l + l
            table[middle + m] = now * turn.real * (math.sqrt(2.0) if m else 1.0)
            if m:
                table[middle - m] = now * turn.imag * math.sqrt(2.0)
    return table
