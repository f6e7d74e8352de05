"""KL of the values at one set A of inputs: with fewer of them than features it leaves directions without any price.

With U a basis of the row space of the features at A, E one of its complement and G = F^T F / s2, the objective is

    (tr (G + U^T U) S - log det U S U^T) / 2 + (m^T (G + U^T U) m) / 2 - b^T m + constants.                      (1)

The entropy sees U w only, so that the best w given U w = v has no variance: it is the least squares solution W v, with
W = U^T - E (E^T G E)^+ E^T G U^T. The rest is a Gaussian of v with the precision W^T G W + I. So the covariance
S = W (W^T G W + I)^-1 W^T has the rank of U, and KL(Q, posterior) is infinite below rank k.

Source: Burt, Ober, Garriga-Alonso and van der Wilk (2020), appendix E, where only the mean is given, with the
projection said to be on the column space of the features at A; it is the row space.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array
from particlegvi.functionspace.kl_terms.adam import descend, in_values
from particlegvi.functionspace.kl_terms.convex import best, inverse
from particlegvi.functionspace.kl_terms.problem import ADAM, LinearProblem, Settings, Solution
from particlegvi.functionspace.measurement.row_space import row_space
from particlegvi.functionspace.measurement.sets import Sets
from particlegvi.tools.registry import named


@named("fixed-points")
def fixed_points(problem: LinearProblem, sets: Sets, settings: Settings) -> Solution:
    """The minimiser in closed form, of (1); of factorised distributions by L-BFGS; or Adam."""
    U = row_space(sets.every(1)[0])
    if settings.optimiser == ADAM:
        return descend(problem, in_values(problem, lambda: U), settings)
    if settings.family == "factorised":
        return best(problem, [U], settings)
    return at_one_set(problem, U)


def at_one_set(problem: LinearProblem, U: Array) -> Solution:
    """The minimiser of (1) over all Gaussian distributions, with U (rank, k)."""
    G = problem.gram
    mean = inverse(G + U.T @ U) @ problem.shift
    E = linalg.null_space(U) if len(U) else np.eye(problem.size)
    W = U.T - E @ (inverse(E.T @ G @ E) @ (E.T @ G @ U.T))
    precision = W.T @ G @ W + np.eye(len(U))
    half = linalg.solve_triangular(linalg.cholesky(precision, lower=True), W.T, lower=True)
    facts = {"method": "closed form", "iterations": 0, "converged": True}
    return Solution(mean, half.T @ half, len(U), facts)
