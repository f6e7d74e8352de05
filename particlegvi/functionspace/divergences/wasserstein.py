"""The 2-Wasserstein distance of two processes."""

from __future__ import annotations

import math

import numpy as np
from scipy import linalg

from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.divergences.laws import Process, together
from particlegvi.functionspace.residuals.conditional import root
from particlegvi.tools.registry import named


@named("wasserstein")
@one_blas_thread()
def wasserstein(q: Process, p: Process) -> float:
    """The 2-Wasserstein distance with the norm of the RKHS of the prior covariance,

        W2^2 = |m_q - m_p|^2 + tr(C_q + C_p - 2 (C_q^(1/2) C_p C_q^(1/2))^(1/2)).

    Distances below about 1e-7 are rounding. It is infinite between a `SubsetOfRegressors`, which has no residual, and a
    process that has one: they differ in infinitely many directions.

    Parameters
    ----------
    q, p : fitted processes, or "prior"

    Sources: Gelbrich (1990); Masarotto, Panaretos and Zemel (2019).
    """
    first, second = together(q=q, p=p)
    if first.degenerate != second.degenerate:
        return math.inf
    half = root(first.covariance, 1.0)
    inside = np.maximum(linalg.eigvalsh(half.T @ second.covariance @ half), 0.0)
    traces = float(np.trace(first.covariance) + np.trace(second.covariance)) - 2.0 * float(np.sum(np.sqrt(inside)))
    return math.sqrt(max(float(np.sum((first.mean - second.mean) ** 2)) + traces, 0.0))
