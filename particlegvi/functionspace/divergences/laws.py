"""Processes with one prior as Gaussian distributions in R^d, in coordinates in which the prior is N(0, I).

Every process here is determined by finitely many linear functionals of f: the observed values f(X), or the
coefficients u = W^T f(Z) of a Nystroem basis. The Gram matrix of all functionals of all processes in the RKHS of the
prior covariance is A A^T, with A (functionals, d). The functionals are A w with w ~ N(0, I), and a posterior of w has

    (1)  precision I + H^T H / s2, precision @ mean = H^T y / s2,  with H the rows of f(X), for observations,
    (2)  precision I + T^T (P - I) T, mean T^T m,  with T the rows of u ~ N(m, P^-1), for a sparse process,

since T T^T = I. All other directions keep the prior. Distances of w equal distances in the RKHS.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array
from particlegvi.functionspace.basis.nystroem import with_inducing_points
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.gp.coefficient_law import Law
from particlegvi.functionspace.gp.exact_gp import ExactGaussianProcess
from particlegvi.functionspace.gp.sparse_gp import SparseGaussianProcess
from particlegvi.functionspace.gp.subsets import SubsetOfRegressors
from particlegvi.functionspace.linalg import root
from particlegvi.tools.quoting import refuse

Process: TypeAlias = ExactGaussianProcess | SparseGaussianProcess | SubsetOfRegressors | str
PRIOR = "prior"
ALLOWED = 'a fitted Gaussian process of particlegvi.functionspace or "prior"'


class Gaussian(NamedTuple):
    """A Gaussian distribution in R^d; a degenerate one has zeros in place of its precision."""

    mean: Array
    covariance: Array
    precision: Array
    shift: Array  # precision @ mean
    degenerate: bool

    def root(self) -> Array:
        """The lower Cholesky factor of the precision."""
        return linalg.cholesky(self.precision, lower=True)


class Span(NamedTuple):
    """The functionals ``weights.T @ f(points)``, or the values f(points) if ``weights`` is None."""

    points: Array
    weights: Array | None

    def gram(self, other: Span, k: Covariance) -> Array:
        """The inner products with other functionals in the RKHS, which are covariances under the prior."""
        matrix = k(self.points, None if other is self else other.points)
        if self.weights is not None:
            if other is self:  # whitened: equal to the identity up to rounding
                return np.eye(self.weights.shape[1])
            matrix = self.weights.T @ matrix
        return matrix if other.weights is None else matrix @ other.weights


def together(**processes: Process) -> list[Gaussian]:
    """The distributions of processes in common coordinates; a ValueError names the process that is not allowed."""
    covariance: Covariance | None = None
    functionals: list[Span] = []
    for key, process in processes.items():
        if isinstance(process, str):
            if process != PRIOR:
                raise refuse(key, process, ALLOWED)
            continue
        own, found = _read(key, process)
        if covariance is not None and own.facts() != covariance.facts():
            raise ValueError(f"{key} must be a process with the covariance {covariance!r}, not {own!r}")
        covariance = own
        functionals.append(found)
    if covariance is None:
        raise ValueError('one of the processes must be a fitted Gaussian process, not all of them "prior"')
    half = _common(covariance, functionals)
    rows = iter(half)
    return [_law(process, None if isinstance(process, str) else next(rows), half) for process in processes.values()]


def _read(key: str, process: Process) -> tuple[Covariance, Span]:
    if isinstance(process, SubsetOfRegressors):
        process = process.with_residual
    if isinstance(process, ExactGaussianProcess) and "X" in vars(process):
        return process.covariance, Span(process.X, None)
    if isinstance(process, SparseGaussianProcess) and "law" in vars(process):
        basis = with_inducing_points(process.basis, "a divergence")
        scale = np.sqrt(len(basis.inducing_points) * basis.eigenvalues)
        return process.covariance, Span(basis.inducing_points, basis.vectors / scale)
    raise refuse(key, process, ALLOWED)


def _common(k: Covariance, functionals: list[Span]) -> list[Array]:
    """The rows of A that belong to each set of functionals."""
    gram = np.block([[a.gram(b, k) for b in functionals] for a in functionals])
    gram = 0.5 * (gram + gram.T)
    half = root(gram, float(gram.diagonal().max()))
    half = half[:, np.any(half != 0.0, axis=0)]
    sizes = [len(each.points) if each.weights is None else each.weights.shape[1] for each in functionals]
    return np.split(half, np.cumsum(sizes)[:-1])


def _law(process: Process, rows: Array | None, half: list[Array]) -> Gaussian:
    one = np.eye(half[0].shape[1])
    if rows is None or isinstance(process, str):
        zero = np.zeros(len(one))
        return Gaussian(zero, one, one, zero, False)
    if isinstance(process, ExactGaussianProcess):
        precision = one + rows.T @ rows / process.noise_variance
        shift = rows.T @ process.y / process.noise_variance
        factor = linalg.cholesky(precision, lower=True)
        mean = linalg.cho_solve((factor, True), shift)
        return Gaussian(mean, linalg.cho_solve((factor, True), one), precision, shift, False)
    law: Law = process.law
    mean = rows.T @ law.mean
    inside = linalg.cho_solve((law.factor, True), np.eye(len(law.mean)))
    if isinstance(process, SubsetOfRegressors):
        return Gaussian(mean, rows.T @ inside @ rows, np.zeros_like(one), np.zeros(len(one)), True)
    precision = one + rows.T @ (law.precision - np.eye(len(law.mean))) @ rows
    covariance = one + rows.T @ (inside - np.eye(len(law.mean))) @ rows
    return Gaussian(mean, covariance, precision, precision @ mean, False)
