"""Divergences between Gaussian process posteriors with a common prior: of whole processes, not at some inputs.

Each is a function of fitted processes: `ExactGaussianProcess`, `SparseGaussianProcess`, `SubsetOfRegressors`, or
"prior", all with the same covariance. With r this covariance and e the 2-Wasserstein distance in its RKHS, at every
input the differences of the means and of the standard deviations obey ``dmean^2 + dsd^2 <= r(x, x) e^2``, and

    e^2 <= 2 KL(q, p),  e <= preconditioned Fisher(q, p; nu = p),  dmean^2 + dsd^2 <= 2 var_p(x) KL(q, p).

The processes differ from the prior in finitely many directions, so that they are Gaussian distributions in R^d, in
coordinates in which the prior is N(0, I): each is determined by finitely many linear functionals of f, the observed
values f(X), or the coefficients u = W^T f(Z) of a Nystroem basis. The Gram matrix of all functionals of all processes
in the RKHS is A A^T, with A (functionals, d). The functionals are A w with w ~ N(0, I), and a posterior of w has

    (1)  precision I + H^T H / s2, precision @ mean = H^T y / s2,  with H the rows of f(X), for observations,
    (2)  precision I + T^T (P - I) T, mean T^T m,  with T the rows of u ~ N(m, P^-1), for a sparse process,

since T T^T = I. Distances of w equal distances in the RKHS. The cost is O(d^3), with d at most the number of all rows
and inducing points.

Sources: Talagrand (1996); Huggins, Campbell, Kasprzak and Broderick (2019), whose constants 2, 6 and 3 are not sharp.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.basis.nystroem import with_inducing_points
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.gp.coefficient_law import Law
from particlegvi.functionspace.gp.exact_gp import ExactGaussianProcess
from particlegvi.functionspace.gp.sparse_gp import SparseGaussianProcess, SubsetOfRegressors
from particlegvi.functionspace.linalg import root, squared_bures_distance
from particlegvi.tools.calls import shares_parameters
from particlegvi.tools.quoting import refuse

__all__ = ["fisher", "kl", "preconditioned_fisher", "wasserstein"]


@one_blas_thread()
def kl(q: Process, p: Process) -> float:
    """KL(q, p) = E_q log(dq/dp) of the processes, in nats: the supremum over all finite sets of inputs.

    With d_i the eigenvalues of C_q P_p - I (P a precision, C a covariance) it is

        sum_i (d_i - log(1 + d_i)) / 2 + (m_q - m_p)^T P_p (m_q - m_p) / 2,

    which loses no digits by cancellation for q near p. It is infinite if q or p is a (degenerate) `SubsetOfRegressors`.

    Source: Sun, Zhang, Shi and Grosse (2019), theorem 1, for the supremum.
    """
    first, second = together(q=q, p=p)
    if first.degenerate or second.degenerate:
        return math.inf
    factor = first.root()
    half = linalg.solve_triangular(factor, second.precision - first.precision, lower=True)
    d = linalg.eigvalsh(linalg.solve_triangular(factor, half.T, lower=True))
    d = np.maximum(d, -1.0 + np.finfo(float).eps)
    pull = linalg.solve_triangular(second.root(), second.precision @ first.mean - second.shift, lower=True)
    return float(0.5 * (np.sum(d - np.log1p(d)) + pull @ pull))


@one_blas_thread()
def wasserstein(q: Process, p: Process) -> float:
    """The 2-Wasserstein distance W2 in the norm of the RKHS of the prior covariance::

        W2^2 = |m_q - m_p|^2 + tr(C_q + C_p - 2 (C_q^(1/2) C_p C_q^(1/2))^(1/2)).

    Distances below about 1e-7 are rounding. The distance between a `SubsetOfRegressors`, which has no residual, and a
    process with a residual is infinite: the two differ in infinitely many directions.

    Sources: Gelbrich (1990); Masarotto, Panaretos and Zemel (2019).
    """
    first, second = together(q=q, p=p)
    if first.degenerate != second.degenerate:
        return math.inf
    of_covariances = squared_bures_distance(root(first.covariance, 1.0), root(second.covariance, 1.0))
    return math.sqrt(float(np.sum((first.mean - second.mean) ** 2)) + of_covariances)


@one_blas_thread()
def fisher(q: Process, p: Process, nu: Process | None = None) -> float:
    """``(E_nu |grad log q - grad log p|^2)^(1/2)``, gradients and norm in the RKHS of the prior covariance.

    With nu = p, W2(q, p) is at most the largest eigenvalue of the covariance of q (1 at most) times this distance. The
    bound is loose where the noise is small: the distance is about 1 + 1/noise times W2.

    Parameters
    ----------
    q, p : fitted processes, or "prior"
    nu : fitted process or "prior", optional
        The third process, by default p. It may be degenerate. If q or p is degenerate, the distance is infinite.

    Source: Huggins, Campbell, Kasprzak and Broderick (2019), definition 3.3; their proposition 3.4 has 1 over the
    smallest eigenvalue in the place of the largest, which is wrong.
    """
    return _distance(q, p, nu, preconditioned=False)


@shares_parameters(fisher)
@one_blas_thread()
def preconditioned_fisher(q: Process, p: Process, nu: Process | None = None) -> float:
    """``(E_nu |C_q grad log(dq/dr) - C_q grad log(dp/dr)|^2)^(1/2)`` with r the prior and C_q the covariance of q.

    With nu = p, W2(q, p) is at most this divergence. With another nu the bound has the factor sup(dp/dnu)^(1/2). If nu
    has finite rank, as in the experiments of the source, the factor is infinite and there is no bound.

    Source: Huggins, Campbell, Kasprzak and Broderick (2019), definition 4.2, theorem 4.3; their proposition 5.1 lacks a
    square and a factor noise^2.
    """
    return _distance(q, p, nu, preconditioned=True)


def _distance(q: Process, p: Process, nu: Process | None, preconditioned: bool) -> float:
    first, second, third = together(q=q, p=p, nu=p if nu is None else nu)
    if first.degenerate or second.degenerate:
        return math.inf
    return math.sqrt(_mean_square(first, second, third, first.covariance if preconditioned else None))


def _mean_square(q: GaussianLaw, p: GaussianLaw, nu: GaussianLaw, preconditioner: Array | None) -> float:
    """E_nu |B (P_p - P_q) w - B (P_p m_p - P_q m_q)|^2 = |B (D m_nu - b)|^2 + tr(B D C_nu D^T B^T)."""
    D = p.precision - q.precision
    at_mean = D @ nu.mean - (p.shift - q.shift)
    if preconditioner is not None:
        D, at_mean = preconditioner @ D, preconditioner @ at_mean
    return max(float(at_mean @ at_mean + np.sum((D @ nu.covariance) * D)), 0.0)


Process: TypeAlias = ExactGaussianProcess | SparseGaussianProcess | str
PRIOR = "prior"
ALLOWED = 'a fitted Gaussian process of particlegvi.functionspace or "prior"'


class GaussianLaw(NamedTuple):
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


def together(**processes: Process) -> list[GaussianLaw]:
    """The distributions of processes in common coordinates; a ValueError names the process that is not allowed."""
    covariance: Covariance | None = None
    functionals: list[Span] = []
    for key, process in processes.items():
        if isinstance(process, str):
            if process != PRIOR:
                raise refuse(key, process, ALLOWED)
            continue
        own, span = _read(key, process)
        if isinstance(process, ExactGaussianProcess) and process.mean is not None:
            raise ValueError(f"{key} must be a process with the prior mean 0, in which its law is described")
        if covariance is not None and own.facts() != covariance.facts():
            raise ValueError(f"{key} must be a process with the covariance {covariance!r}, not {own!r}")
        covariance = own
        functionals.append(span)
    if covariance is None:
        raise ValueError('one of the processes must be a fitted Gaussian process, not all of them "prior"')
    half = _common(covariance, functionals)
    rows = iter(half)
    return [_law(process, None if isinstance(process, str) else next(rows), half) for process in processes.values()]


def _read(key: str, process: Process) -> tuple[Covariance, Span]:
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
    sizes = [len(span.points) if span.weights is None else span.weights.shape[1] for span in functionals]
    return np.split(half, np.cumsum(sizes)[:-1])


def _law(process: Process, rows: Array | None, half: list[Array]) -> GaussianLaw:
    one = np.eye(half[0].shape[1])
    if rows is None or isinstance(process, str):
        zero = np.zeros(len(one))
        return GaussianLaw(zero, one, one, zero, False)
    if isinstance(process, ExactGaussianProcess):
        precision = one + rows.T @ rows / process.noise_variance
        shift = rows.T @ process.y / process.noise_variance
        factor = linalg.cholesky(precision, lower=True)
        mean = linalg.cho_solve((factor, True), shift)
        return GaussianLaw(mean, linalg.cho_solve((factor, True), one), precision, shift, False)
    law: Law = process.law
    mean = rows.T @ law.mean
    inside = linalg.cho_solve((law.factor, True), np.eye(len(law.mean)))
    if isinstance(process, SubsetOfRegressors):
        return GaussianLaw(mean, rows.T @ inside @ rows, np.zeros_like(one), np.zeros(len(one)), True)
    precision = one + rows.T @ (law.precision - np.eye(len(law.mean))) @ rows
    covariance = one + rows.T @ (inside - np.eye(len(law.mean))) @ rows
    return GaussianLaw(mean, covariance, precision, precision @ mean, False)
