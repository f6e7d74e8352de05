"""Theorem 6.6.1: tau* is the best law of the first coefficients."""

from __future__ import annotations

import numpy as np

import particlegvi as pg
from particlegvi.functionspace import likelihoods
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.optimum import Projection, divergence, probabilities
from particlegvi.verification.picture import Picture

KERNEL = pg.kernels.SquaredExponential(lengthscale=0.6, variance=1.5)
LIKELIHOODS = (likelihoods.Bernoulli(), likelihoods.StudentT(3.0, 1.0), likelihoods.Poisson("log"))
SIZES = (-0.3, -0.03, -0.003, 0.003, 0.03, 0.3)  # sizes of the changes: the sd of a change of log tau
SHOWN = np.linspace(-0.3, 0.3, 31)


class BestProjection(Claim):
    """KL(Q_tau, posterior), three inputs and M = 1, by quadrature in all three coefficients; three likelihoods.

    The other laws are tau* tilted by a linear function, a square, a step, a cube or a wave of several sizes, that of
    V_infinity, and the minimiser of (D.137) with the cost averaged over all other coefficients. None may have a smaller
    KL, up to the square of a quadrature error in V* of 1e-4. Wrong: tau* without the expectation over the residual.
    """

    name = "best-projection"
    claim = "The best law of M coefficients is exp(-V*): no other comes closer to the posterior"
    source = "thesis, Theorem 6.6.1 (6.22); D.11"
    wrong = "the expectation over xi left out of V*"

    def measure(self, seed: int, wrong: bool) -> Experiment:
        random = np.random.default_rng(seed)
        gains = []
        for likelihood in LIKELIHOODS:
            X = np.array([[-1.0], [0.0], [1.0]]) + random.uniform(-0.3, 0.3, (3, 1))
            y = likelihood.sample(random.normal(0.0, 1.5, 3), random)
            problem = Projection(KERNEL, likelihood, X, y, 1)
            grid = problem.grid(801)
            claimed = probabilities(problem.potential(grid, nodes=1 if wrong else 40))
            expected, prior = expected_cost(problem, grid), probabilities(0.5 * grid[:, 0] ** 2 / problem.eigenvalues)

            def distance(tau: np.ndarray, expected: np.ndarray = expected, prior: np.ndarray = prior) -> float:
                """KL(Q_tau, posterior) of (D.136), without log p(y)."""
                return divergence(tau, prior) + float(tau @ expected)

            others = [tilt(claimed, shape, size) for shape in shapes(claimed, grid[:, 0]) for size in SIZES]
            others += [probabilities(problem.potential(grid)), probabilities(expected - np.log(prior))]
            gains.append(distance(claimed) - min(map(distance, others)))
        check = Check("KL saved by another law, in nats", float(max(gains)), 1e-8)
        curves = [[distance(tilt(claimed, shape, size)) for size in SHOWN] for shape in shapes(claimed, grid[:, 0])[:2]]
        return Experiment((check,), {"curves": np.array(curves) - distance(claimed)})

    def draw(self, picture: Picture, data: Data) -> None:
        picture.curves(SHOWN, 1000.0 * data["curves"], ("another slope", "another curvature"))
        picture.truth(0.0, 0.0, r"$\tau^*$ as tried", "o").level(0.0)
        picture.frame(r"change of $\log \tau$ (its sd)", r"KL above that of $\tau^*$, mnat", xlim=(-0.3, 0.3))


def expected_cost(problem: Projection, grid: np.ndarray) -> np.ndarray:
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
