"""The largest density ratio of two posteriors, on which the bounds by Fisher distances depend."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.functionspace.divergences.laws import PRIOR, Gaussian, Process, together
from particlegvi.functionspace.gp.exact_gp import ExactGaussianProcess
from particlegvi.tools.registry import named

ZERO = 1e-10  # eigenvalues of a difference of precisions below this part of the largest precision are rounding


@named("log-density-ratio")
@one_blas_thread()
def log_density_ratio(p: Process, nu: Process) -> float:
    """log of the supremum over functions of dp/dnu, in nats; infinite if the ratio is not bounded.

    If nu is the posterior of M' of the N rows of p (or the prior, M' = 0), the result is

        log Z_nu - log Z_p - (N - M') / 2 log(2 pi noise),

    with Z the marginal likelihoods. It is about (N - M') / 2 or larger, since at f = y each row that is missing in nu
    makes the ratio larger. It is the supremum if the missing rows have distinct inputs, and otherwise an upper bound.

    For any other nu, the result is the supremum of a quadratic function: infinite unless nu is wider than p in every
    direction. For a degenerate nu it is infinite.

    Parameters
    ----------
    p, nu : fitted processes, or "prior"

    Source: Huggins, Campbell, Kasprzak and Broderick (2019), 4.2; the second line of their display divides by the
    wrong marginal likelihood.
    """
    first, second = together(p=p, nu=nu)
    if first.degenerate or second.degenerate:
        return math.inf
    if isinstance(p, ExactGaussianProcess):
        others = _unseen(p, nu)
        if others is not None:
            evidence = nu.log_marginal_likelihood() if isinstance(nu, ExactGaussianProcess) else 0.0
            level = 0.5 * others * math.log(2.0 * math.pi * p.noise_variance)
            return evidence - p.log_marginal_likelihood() - level
    return _supremum(first, second)


def _unseen(p: ExactGaussianProcess, nu: Process) -> int | None:
    """The number of rows of p that are missing in nu; None if nu is not the posterior of some rows of p."""
    if nu == PRIOR:
        return len(p.y)
    if not isinstance(nu, ExactGaussianProcess) or nu.noise_variance != p.noise_variance:
        return None
    have, seen = _counts(p), _counts(nu)
    return len(p.y) - len(nu.y) if all(number <= have.get(row, 0) for row, number in seen.items()) else None


def _counts(process: ExactGaussianProcess) -> dict[bytes, int]:
    rows: NDArray[np.float64] = np.column_stack([process.X, process.y])
    counts: dict[bytes, int] = {}
    for row in rows:
        counts[row.tobytes()] = counts.get(row.tobytes(), 0) + 1
    return counts


def _supremum(p: Gaussian, nu: Gaussian) -> float:
    """The supremum of ``-w^T D w / 2 + w^T b + c`` with D = P_p - P_nu and b = P_p m_p - P_nu m_nu."""
    values, vectors = linalg.eigh(p.precision - nu.precision)
    level = ZERO * float(np.abs(p.precision).max() + np.abs(nu.precision).max())
    along = vectors.T @ (p.shift - nu.shift)
    flat = values <= level
    if np.any(values < -level) or np.any(np.abs(along[flat]) > math.sqrt(ZERO) * (1.0 + np.abs(along).max())):
        return math.inf
    quadratic = float(np.sum(along[~flat] ** 2 / values[~flat]))
    constant = float(p.mean @ p.shift - nu.mean @ nu.shift)
    roots = np.sum(np.log(p.root().diagonal())) - np.sum(np.log(nu.root().diagonal()))
    return float(roots) + 0.5 * (quadratic - constant)
