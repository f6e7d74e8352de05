"""The Kullback-Leibler divergence of two processes."""

from __future__ import annotations

import math

import numpy as np
from scipy import linalg

from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.divergences.laws import Process, together
from particlegvi.tools.registry import named


@named("kl")
@one_blas_thread()
def kl(q: Process, p: Process) -> float:
    """KL(q, p) = E_q log(dq/dp) of the processes, in nats: the supremum over all finite sets of inputs.

    With d_i the eigenvalues of C_q P_p - I (P a precision, C a covariance) it is

        sum_i (d_i - log(1 + d_i)) / 2 + (m_q - m_p)^T P_p (m_q - m_p) / 2,

    which loses no digits by cancellation for q near p. It is infinite if q or p is a (degenerate) `SubsetOfRegressors`.

    Parameters
    ----------
    q, p : fitted processes, or "prior"

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
