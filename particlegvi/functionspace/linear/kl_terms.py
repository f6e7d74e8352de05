"""KL terms: replacements of KL(Q, P) in the objective, which compare the functions of two Bayesian linear models.

====================  =======================================================================
name                  term
====================  =======================================================================
``exact``             KL(Q, P) of the weights
``fixed-points``      KL(Q_A, P_A) of the values at one set A of inputs
``random-points``     the mean of KL(Q_A, P_A) over random sets A
``spectral``          this mean, with the entropy of Q_A from the spectral Stein estimator
====================  =======================================================================

A term is a function of a `LinearProblem`, `Sets` and `LinearSettings` that returns the `LinearSolution` of

    minimise  KL term - E_Q log p(y | w)   over Gaussian distributions Q of the weights, full or factorised.

Source: Burt, Ober, Garriga-Alonso and van der Wilk (2020), (6).
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from particlegvi.contracts import Array
from particlegvi.functionspace.linear.problem import (
    ADAM,
    LinearProblem,
    LinearSettings,
    LinearSolution,
    Term,
    best,
    descend,
    in_values,
    inverse,
)
from particlegvi.functionspace.linear.sets import Sets, row_space
from particlegvi.functionspace.linear.spectral import Spectral
from particlegvi.tools.registry import listed

__all__ = ["get", "names"]

STREAM = 18  # random stream for the draws of functions
CLOSED_FORM = {"method": "closed form", "iterations": 0, "converged": True}


def exact(problem: LinearProblem, sets: Sets, settings: LinearSettings) -> LinearSolution:
    """The posterior; in the factorised family, its mean and the inverses of the diagonal of its precision.

    Source: Bishop (2006), 10.1.2.
    """
    mean, covariance = problem.posterior()
    if settings.family == "factorised":
        covariance = np.diag(1.0 / problem.precision.diagonal())
    return LinearSolution(mean, covariance, problem.size, dict(CLOSED_FORM))


def fixed_points(problem: LinearProblem, sets: Sets, settings: LinearSettings) -> LinearSolution:
    """The minimiser in closed form (`at_one_set`), for the factorised family by L-BFGS; or steps of Adam."""
    U = row_space(sets.every(1)[0])
    if settings.optimiser == ADAM:
        return descend(problem, in_values(problem, lambda: U, settings), settings)
    if settings.family == "factorised":
        return best(problem, [U], settings)
    return at_one_set(problem, U)


def random_points(problem: LinearProblem, sets: Sets, settings: LinearSettings) -> LinearSolution:
    """The minimiser over ``sets`` drawn sets, by L-BFGS; or steps of Adam, each with a new random set.

    Source: Burt, Ober, Garriga-Alonso and van der Wilk (2020), (6), who use Adam.
    """
    if settings.optimiser == ADAM:
        another = sets.steps()
        return descend(problem, in_values(problem, lambda: row_space(another()), settings), settings)
    bases = [row_space(features) for features in sets.every()]
    if len(bases) == 1 and settings.family == "full":
        return at_one_set(problem, bases[0])
    return best(problem, bases, settings)


def spectral(problem: LinearProblem, sets: Sets, settings: LinearSettings) -> LinearSolution:
    """Steps of Adam, each with a new random set A and new draws of functions; there is no optimum to compute.

    With draws f = F_A (m + L z) the gradient of minus the entropy is the mean of score(f) df/d(m, L), where the score,
    the gradient of log q_A, is estimated from the draws. The other half of KL is exact.

    Source: Sun, Zhang, Shi and Grosse (2019), (9), as Burt, Ober, Garriga-Alonso and van der Wilk (2020) use it.
    """
    random, another = np.random.default_rng([STREAM, settings.seed]), sets.steps()
    batch, number = problem.batches(settings.batch_size, settings.seed), 0

    def gradient(mean: Array, L: Array) -> tuple[Array, Array]:
        nonlocal number
        features = another()
        U = row_space(features)
        z = random.normal(size=(settings.draws, problem.size))
        estimate = Spectral((mean + z @ L.T) @ features.T)
        number += estimate.eigenfunctions
        scores = estimate() @ features
        gram, shift = batch()
        in_mean = U.T @ (U @ mean) - shift + gram @ mean + scores.mean(axis=0)
        return in_mean, gram @ L + U.T @ (U @ L) + scores.T @ z / settings.draws

    end = descend(problem, gradient, settings)
    return end._replace(facts={**end.facts, "draws": settings.draws, "eigenfunctions": number / settings.steps})


def at_one_set(problem: LinearProblem, U: Array) -> LinearSolution:
    """The best Gaussian distribution for KL at one set A; U (rank, k) is a basis of the row space of its features.

    With E a basis of the complement of U and G = F^T F / s2, the objective is

        (tr (G + U^T U) S - log det U S U^T) / 2 + (m^T (G + U^T U) m) / 2 - b^T m + constants.

    The entropy depends on U w only, so that the best w given U w = v has no variance: it is the least squares solution
    W v with W = U^T - E (E^T G E)^+ E^T G U^T. Then v is Gaussian with the precision W^T G W + I. So the
    covariance S = W (W^T G W + I)^-1 W^T has the rank of U, and KL(Q, posterior) is infinite below rank k.

    Source: Burt, Ober, Garriga-Alonso and van der Wilk (2020), appendix E. It gives the mean only, and says that the
    projection is onto the column space of the features at A; in fact it is onto their row space.
    """
    G = problem.gram
    mean = inverse(G + U.T @ U) @ problem.shift
    E = linalg.null_space(U) if len(U) else np.eye(problem.size)
    W = U.T - E @ (inverse(E.T @ G @ E) @ (E.T @ G @ U.T))
    precision = W.T @ G @ W + np.eye(len(U))
    half = linalg.solve_triangular(linalg.cholesky(precision, lower=True), W.T, lower=True)
    return LinearSolution(mean, half.T @ half, len(U), dict(CLOSED_FORM))


TERMS: dict[str, Term] = {
    "exact": exact, "fixed-points": fixed_points, "random-points": random_points, "spectral": spectral,
}  # fmt: skip
names, get = listed("kl", TERMS)
