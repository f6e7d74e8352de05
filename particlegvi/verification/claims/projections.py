"""Theorems 6.6.1 and 6.6.2: the best law of the first coefficients, and how near PLS comes to it."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import chdtri

import particlegvi as pg
from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods
from particlegvi.functionspace.likelihoods.likelihood import Likelihood
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Checks, claim
from particlegvi.verification.optimum import Leading, ProjectedOptimum, distribution, divergence, probabilities

SHORT = pg.kernels.SquaredExponential(lengthscale=0.6, variance=1.5)
LIKELIHOODS = (likelihoods.Bernoulli(), likelihoods.StudentT(3.0, 1.0), likelihoods.Poisson("log"))
SIZES = (-0.3, -0.03, -0.003, 0.003, 0.03, 0.3)  # sizes of the changes: the sd of a change of log tau
TALL = pg.kernels.SquaredExponential(lengthscale=0.5, variance=4.0)
X = np.linspace(-1.5, 1.5, 7)[:, None]
LABELS = np.array([0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0])
NODES = 60
KERNEL = pg.kernels.SquaredExponential(lengthscale=1.2, variance=1.5)
Y = np.array([0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0])
POINTS = {1: 1001, 2: 201, 3: 61}  # points of the grid along each coefficient
BINS = 20


@claim("thesis, Theorem 6.6.1 (6.22); D.11", wrong="the expectation over xi left out of V*")
def best_projection(seed: int, wrong: bool) -> Checks:
    """The best law of M coefficients is exp(-V*): no other comes closer to the posterior.

    KL(Q_tau, posterior), three inputs and M = 1, by quadrature in all three coefficients; three likelihoods.

    The other laws are tau* tilted by a linear function, a square, a step, a cube or a wave of several sizes, that of
    V_infinity, and the minimiser of (D.137) with the cost averaged over all other coefficients. None may have a smaller
    KL, up to the square of a quadrature error in V* of 1e-4.
    """
    random = np.random.default_rng(seed)
    gains = []
    for likelihood in LIKELIHOODS:
        X = np.array([[-1.0], [0.0], [1.0]]) + random.uniform(-0.3, 0.3, (3, 1))
        y = likelihood.sample(random.normal(0.0, 1.5, 3), random)
        problem = ProjectedOptimum(SHORT, likelihood, X, y, 1)
        grid = problem.grid(801)
        claimed = probabilities(problem.potential(grid, nodes=1 if wrong else 40))
        expected, prior = expected_cost(problem, grid), probabilities(0.5 * grid[:, 0] ** 2 / problem.eigenvalues)

        def distance(tau: np.ndarray, expected: np.ndarray = expected, prior: np.ndarray = prior) -> float:
            """KL(Q_tau, posterior) of (D.136), without log p(y)."""
            return divergence(tau, prior) + float(tau @ expected)

        others = [tilt(claimed, shape, size) for shape in shapes(claimed, grid[:, 0]) for size in SIZES]
        others += [probabilities(problem.potential(grid)), probabilities(expected - np.log(prior))]
        gains.append(distance(claimed) - min(map(distance, others)))
    return Check("KL saved by another law, in nats", float(max(gains)), 1e-8)


def expected_cost(problem: ProjectedOptimum, grid: np.ndarray) -> np.ndarray:
    """E cost given the first coefficient, over N(0, lambda_m) of each of the others: all of F, and no Sigma."""
    places, weights = np.polynomial.hermite_e.hermegauss(30)
    weights = weights / weights.sum()
    e, scales = problem.basis.features(problem.X), np.sqrt(problem.basis.eigenvalues)
    total = np.zeros(len(grid))
    for a, first in zip(places, weights, strict=True):
        for b, second in zip(places, weights, strict=True):
            f = grid @ e[:, :1].T + a * scales[1] * e[:, 1] + b * scales[2] * e[:, 2]
            total += first * second * problem.likelihood.cost(f, problem.y).sum(axis=1)
    return total


def shapes(tau: np.ndarray, u: np.ndarray) -> list[np.ndarray]:
    """Changes of log tau, each with mean 0 and variance 1 under tau: linear, square, step, cube and wave."""
    mean = tau @ u
    z = (u - mean) / np.sqrt(tau @ (u - mean) ** 2)
    made = []
    for shape in (z, z**2, np.tanh(5.0 * z), z**3, np.sin(3.0 * z)):
        centred = shape - tau @ shape
        made.append(np.clip(centred / np.sqrt(tau @ centred**2), -20.0, 20.0))
    return made


def tilt(tau: np.ndarray, shape: np.ndarray, size: float) -> np.ndarray:
    """tau with ``size * shape`` added to its logarithm, normalised."""
    return probabilities(-np.log(np.maximum(tau, 1e-300)) - size * shape)


@claim("thesis, Lemma 6.6.3; Lemma D.12.2", wrong="logistic likelihood in place of Gaussian noise")
def gaussian_projection(seed: int, wrong: bool, *, particles: int = 10_000) -> Checks:
    """With Gaussian noise PLS draws from the best law itself, not only near it.

    Particles against tau* of (6.22), by quadrature, for the same labels and M = 1: the largest distance of the cdfs.

    Wrong: a logistic likelihood, which is not quadratic, so that the residual changes tau*.
    """
    likelihood: Likelihood = likelihoods.Bernoulli() if wrong else likelihoods.Gaussian(noise_variance=0.5)
    problem = ProjectedOptimum(TALL, likelihood, X, LABELS, 1)
    pls = ProjectedLangevinSampler(
        Leading(problem.basis, 1), likelihood, X, particles=particles, seed=seed
    ).fit(X, LABELS)  # fmt: skip
    grid = problem.grid(4001)
    best = probabilities(problem.potential(grid, NODES))
    distance = chance.ks_to_cdf(pls.coefficients_[:, 0], lambda at: np.interp(at, *distribution(grid[:, 0], best)))
    return Check("KS distance of the particles to tau*", distance, chance.kolmogorov_smirnov(particles))


@claim("thesis, Theorem 6.6.2 (6.24); D.12", wrong="prior N(0, I), not N(0, Lambda)")
def projection_bound(seed: int, wrong: bool, *, particles: int = 4000) -> Checks:
    """PLS draws from a law whose KL to the best one is at most (6.24).

    KL of the particles' u_M to that of tau*, in bins, which is at most KL(tau_infinity, tau*); M = 1, 2, 3.

    tau* is found by quadrature. The bound is (6.24) plus the sampling error of a histogram: a chi-squared quantile over
    twice the number of particles, and 4 standard errors of the mean of log(tau_infinity / tau*).
    """
    checks = []
    for (size, points), run_seed in zip(POINTS.items(), chance.seeds(seed, len(POINTS)), strict=True):
        problem = ProjectedOptimum(KERNEL, likelihoods.Bernoulli(), X, Y, size)
        pls = ProjectedLangevinSampler(
            Leading(problem.basis, size), problem.likelihood, X, particles=particles, seed=run_seed,
            prior="gp" if wrong else "rkhs",
        ).fit(X, Y)  # fmt: skip
        grid = problem.grid(points)
        best, target = (probabilities(problem.potential(grid, nodes)) for nodes in (12, 1))
        edges, laws = binned(grid, points, (best, target))
        counts = np.histogram(pls.coefficients_[:, -1], edges)[0]
        measured = divergence(counts / counts.sum(), laws[0])
        allowed = problem.bound() + chance_of(laws, particles)
        checks.append(Check(f"KL of the particles to tau*, M = {size}, in nats", measured, allowed))
    return tuple(checks)


def binned(grid: np.ndarray, points: int, laws: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Edges of bins of u_M that share the first law about equally, and the laws' probabilities of the bins."""
    pairs = [distribution(grid[:points, -1], law.reshape(-1, points).sum(axis=0)) for law in laws]
    inner = np.interp(np.arange(1, BINS) / BINS, *pairs[0][::-1])
    edges = np.concatenate([[-np.inf], inner, [np.inf]])
    return edges, [np.diff(np.interp(edges, *pair)) for pair in pairs]


def chance_of(laws: list[np.ndarray], particles: int) -> float:
    """Upper quantile of the sampling error of the KL to the first law, for draws from the second."""
    ratio = np.log(laws[1] / laws[0])
    sd = math.sqrt(laws[1] @ ratio**2 - (laws[1] @ ratio) ** 2)
    return float(chdtri(BINS - 1, 0.3 * chance.RARE)) / (2.0 * particles) + chance.ERRORS * sd / math.sqrt(particles)
