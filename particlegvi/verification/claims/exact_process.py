"""With M = N and Z = X nothing is approximated: the functions are those of the exact Gaussian process."""

from __future__ import annotations

import numpy as np
from scipy import linalg
from scipy.special import ndtr

import particlegvi as pg
from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

NOISE, LENGTHSCALE = 0.05, 0.8
X = np.linspace(-2.0, 2.0, 12)[:, None]
Y = np.sin(2.0 * X[:, 0]) + 0.2 * np.cos(9.0 * X[:, 0])
NEW = np.array([[-3.0], [-0.7], [0.4], [2.3]])
SHOWN = np.linspace(-3.5, 3.5, 141)[:, None]


class ExactProcess(Claim):
    """Functions at four new inputs together, whitened by Rasmussen and Williams's (2.23), (2.24), against normals,
    with no correlation left.

    The prior is N(0, I), for which F is the process with covariance k. Wrong: four inducing points, with which PLS is a
    visible approximation.
    """

    name = "exact-process"
    claim = "With every input an inducing point, PLS draws from the exact Gaussian process"
    source = "thesis, 6.5.2 and D.8 (M = N)"
    wrong = "four inducing points instead of twelve"
    particles = 4000

    def measure(self, seed: int, wrong: bool) -> Experiment:
        pls = ProjectedLangevinSampler(
            pg.kernels.SquaredExponential(LENGTHSCALE, variance=1.0), likelihoods.Gaussian(NOISE),
            np.linspace(-2.0, 2.0, 4)[:, None] if wrong else X, particles=self.particles, prior="gp", seed=seed,
        ).fit(X, Y)  # fmt: skip
        mean, covariance = conditioned(NEW)
        factor = linalg.cholesky(covariance, lower=True)
        white = linalg.solve_triangular(factor, (pls.sample(NEW) - mean).T, lower=True)
        distance = chance.ks_to_cdf(white.ravel(), ndtr)
        checks = (
            Check("KS distance to the exact process", distance, chance.kolmogorov_smirnov(white.size, looks=2)),
            Check("largest correlation left, in errors", chance.largest_correlation(white.T), chance.ERRORS),
        )
        centre, sd = pls.predict(SHOWN, return_std=True)
        return Experiment(checks, {"centre": centre, "sd": sd})

    def draw(self, picture: Picture, data: Data) -> None:
        x, (mean, covariance) = SHOWN[:, 0], conditioned(SHOWN)
        half = 2.0 * np.sqrt(np.maximum(covariance.diagonal(), 0.0))
        picture.band(x, data["centre"], 2.0 * data["sd"], r"PLS, mean $\pm$ 2 sd")
        picture.truth(x, np.stack([mean - half, mean, mean + half], axis=1), "exact process", linewidth=1.4)
        picture.data(X[:, 0], Y)
        picture.frame("input $x$", "function value", "upper left", xlim=(-3.5, 3.5), ylim=(-3.0, 6.0))


def kernel(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """k(a, b), written out."""
    return np.exp(-0.5 * (a - b.T) ** 2 / LENGTHSCALE**2)


def conditioned(new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of the exact process at new inputs."""
    solved = linalg.solve(kernel(X, X) + NOISE * np.eye(len(X)), kernel(X, new), assume_a="pos")
    return solved.T @ Y, kernel(new, new) - kernel(new, X) @ solved
