"""With Gaussian noise the law of the coefficients is a normal in closed form, for the exact step and for Euler's."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg
from scipy.special import ndtr

import particlegvi as pg
from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods
from particlegvi.functionspace.basis import Nystroem
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

KERNEL = pg.kernels.SquaredExponential(lengthscale=1.0, variance=1.0)
NOISE = 0.1
Z = np.array([[-1.0], [0.0], [1.0]])
X = np.linspace(-1.8, 1.8, 12)[:, None]
Y = np.sin(3.0 * X[:, 0])
SHARE = 0.5  # step size over the limit 2 / (largest eigenvalue of A); doubles the least of Euler's variances


class CoefficientLaw(Claim):
    """Particles, whitened by the posterior, against standard normals: one KS distance for all coefficients together,
    and no correlation between them.

    The drift is -A (u - A^-1 E^T y / sigma^2) with A = E^T E / sigma^2 + Lambda^-1. Wrong: Euler and Maruyama's step at
    half the largest stable one.
    """

    name = "coefficient-law"
    claim = "With Gaussian noise PLS draws from N(A^-1 E y / sigma^2, A^-1), at any step size"
    source = "thesis, (D.125), Lemma 6.6.3"
    wrong = "Euler-Maruyama at half the stable step"
    same_scale = False
    particles = 10_000
    euler = False

    def measure(self, seed: int, wrong: bool) -> Experiment:
        E, A = posterior()
        largest = linalg.eigvalsh(A)[-1]
        step_size = SHARE * 2.0 / largest
        pls = sampler(
            particles=self.particles, seed=seed, step_size=step_size,
            integrator="euler-maruyama" if self.euler != wrong else "exponential-euler",
        )  # fmt: skip
        precision = A @ (np.eye(len(A)) - 0.5 * step_size * A) if self.euler else A
        precision = 0.5 * (precision + precision.T)
        mean = linalg.solve(A, E.T @ Y / NOISE)
        rates, axes = linalg.eigh(precision)
        white = (pls.coefficients_ - mean) @ axes * np.sqrt(rates)
        distance = chance.ks_to_cdf(white.ravel(), ndtr)
        checks = (
            Check("KS distance to the closed form", distance, chance.kolmogorov_smirnov(white.size, looks=2)),
            Check("largest correlation left, in errors", chance.largest_correlation(white), chance.ERRORS),
        )
        return Experiment(checks, {"white": white.ravel()})

    def draw(self, picture: Picture, data: Data) -> None:
        picture.histogram(data["white"], (-4.0, 4.0)).normal("closed form")
        picture.frame("whitened coefficients", legend="upper left", ylim=(0.0, 0.58))


class EulerCoefficientLaw(CoefficientLaw):
    """Euler and Maruyama's step h gives a law with the covariance (A (I - h A / 2))^-1 and the same mean.

    Wrong: the step that solves the linear drift exactly.
    """

    name = "coefficient-law-euler"
    claim = "Euler-Maruyama's PLS draws from covariance (A (I - step_size A / 2))^-1 instead"
    source = "thesis, 6.5.3 and (D.209)"
    wrong = "exponential Euler, which is exact"
    euler = True


def sampler(**settings: Any) -> ProjectedLangevinSampler:
    """The fitted sampler."""
    return ProjectedLangevinSampler(KERNEL, likelihoods.Gaussian(NOISE), Z, **settings).fit(X, Y)


def posterior() -> tuple[np.ndarray, np.ndarray]:
    """The features E (N, M) and A, from the kernel written out; the signs of the features are the engine's."""
    values, vectors = linalg.eigh(np.exp(-0.5 * (Z - Z.T) ** 2) / len(Z))
    values, vectors = values[::-1], vectors[:, ::-1]
    E = np.exp(-0.5 * (X - Z.T) ** 2) @ vectors / np.sqrt(len(Z) * values)
    E = E * np.sign(np.sum(E * Nystroem(KERNEL, Z).features(X), axis=0))
    return E, E.T @ E / NOISE + np.diag(1.0 / values)
