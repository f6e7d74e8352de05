"""Fisher distances of two processes under a third, with and without a preconditioner."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.divergences.laws import Gaussian, Process, together
from particlegvi.tools.registry import named


@named("fisher")
@one_blas_thread()
def fisher(q: Process, p: Process, nu: Process | None = None) -> float:
    """``(E_nu |grad log q - grad log p|^2)^(1/2)``, gradients and norm in the RKHS of the prior covariance.

    W2(q, p) is at most the largest eigenvalue of the covariance of q (1 at most) times sup(dp/dnu)^(1/2) times this
    distance. The bound is loose where the noise is small: the distance is about 1 + 1/noise times W2.

    Parameters
    ----------
    q, p : fitted processes, or "prior"
    nu : fitted process or "prior", optional
        The third process, by default p. It may be degenerate. If q or p is degenerate, the distance is infinite.

    Source: Huggins, Campbell, Kasprzak and Broderick (2019), definition 3.3; their proposition 3.4 has 1 over the
    smallest eigenvalue in the place of the largest, which is wrong.
    """
    return _distance(q, p, nu, preconditioned=False)


@named("preconditioned-fisher")
@one_blas_thread()
def preconditioned_fisher(q: Process, p: Process, nu: Process | None = None) -> float:
    """``(E_nu |C_q grad log(dq/dr) - C_q grad log(dp/dr)|^2)^(1/2)`` with r the prior and C_q the covariance of q.

    W2(q, p) is at most sup(dp/dnu)^(1/2) times this divergence (`log_density_ratio`): with nu = p the factor is 1. If
    nu has finite rank, as in the experiments of the source, the factor is infinite and there is no bound.

    Parameters
    ----------
    q, p : fitted processes, or "prior"
    nu : fitted process or "prior", optional
        The third process, by default p. It may be degenerate. If q or p is degenerate, the divergence is infinite.

    Source: Huggins, Campbell, Kasprzak and Broderick (2019), definition 4.2, theorem 4.3; their proposition 5.1 lacks a
    square and a factor noise^2.
    """
    return _distance(q, p, nu, preconditioned=True)


def _distance(q: Process, p: Process, nu: Process | None, preconditioned: bool) -> float:
    first, second, third = together(q=q, p=p, nu=p if nu is None else nu)
    if first.degenerate or second.degenerate:
        return math.inf
    return math.sqrt(_mean_square(first, second, third, first.covariance if preconditioned else None))


def _mean_square(q: Gaussian, p: Gaussian, nu: Gaussian, preconditioner: Array | None) -> float:
    """E_nu |B (P_p - P_q) w - B (P_p m_p - P_q m_q)|^2 = |B (D m_nu - b)|^2 + tr(B D C_nu D^T B^T)."""
    D = p.precision - q.precision
    at_mean = D @ nu.mean - (p.shift - q.shift)
    if preconditioner is not None:
        D, at_mean = preconditioner @ D, preconditioner @ at_mean
    return max(float(at_mean @ at_mean + np.sum((D @ nu.covariance) * D)), 0.0)
