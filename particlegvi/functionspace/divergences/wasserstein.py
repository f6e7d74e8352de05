"""The 2-Wasserstein distance of two processes."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.divergences.laws import Process, together
from particlegvi.functionspace.linalg import root, squared_bures_distance
from particlegvi.tools.registry import named


@named("wasserstein")
@one_blas_thread()
def wasserstein(q: Process, p: Process) -> float:
    """The 2-Wasserstein distance W2 in the norm of the RKHS of the prior covariance,

        W2^2 = |m_q - m_p|^2 + tr(C_q + C_p - 2 (C_q^(1/2) C_p C_q^(1/2))^(1/2)).

    Distances below about 1e-7 are rounding. The distance between a `SubsetOfRegressors`, which has no residual, and a
    process with a residual is infinite: the two differ in infinitely many directions.

    Parameters
    ----------
    q, p : fitted processes, or "prior"

    Sources: Gelbrich (1990); Masarotto, Panaretos and Zemel (2019).
    """
    first, second = together(q=q, p=p)
    if first.degenerate != second.degenerate:
        return math.inf
    of_covariances = squared_bures_distance(root(first.covariance, 1.0), root(second.covariance, 1.0))
    return math.sqrt(float(np.sum((first.mean - second.mean) ** 2)) + of_covariances)
