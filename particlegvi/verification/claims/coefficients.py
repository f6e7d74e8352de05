"""The laws of PLS's coefficients: normal with Gaussian noise, with several modes for the rate f^2."""

from __future__ import annotations

import math

import numpy as np
from scipy import linalg
from scipy.special import chdtri

import particlegvi as pg
from particlegvi.contracts import Facts
from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods
from particlegvi.functionspace.basis import Nystroem
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Checks, claim

KERNEL = pg.kernels.SquaredExponential(lengthscale=1.0, variance=1.0)
NOISE = 0.1
Z = np.array([[-1.0], [0.0], [1.0]])
X = np.linspace(-1.8, 1.8, 12)[:, None]
Y = np.sin(3.0 * X[:, 0])
SHARE = 0.5  # step size over the limit 2 / (largest eigenvalue of A); doubles the least of Euler's variances
WIDE = pg.kernels.SquaredExponential(lengthscale=1.4, variance=9.0)
POINTS = np.array([[-1.0], [1.0]])
ROWS = np.repeat(POINTS, 4, axis=0)
COUNTS = np.array([4.0, 6.0, 5.0, 3.0, 7.0, 5.0, 4.0, 6.0])


@claim("thesis, (D.125), Lemma 6.6.3; 6.5.3, (D.209)", wrong="each integrator in the place of the other")
def coefficient_law(seed: int, wrong: bool, *, particles: int = 10_000) -> Checks:
    """With Gaussian noise PLS draws from N(A^-1 E y / sigma^2, A^-1), at any step size.

    Particles of exponential Euler, whitened by this law, against standard normals: one KS distance for all coefficients
    together, and no correlation between them. Particles of Euler and Maruyama's step h, half of the stable one, have
    the covariance (A (I - h A / 2))^-1 instead, and the same mean.

    The drift is -A (u - A^-1 E^T y / sigma^2) with A = E^T E / sigma^2 + Lambda^-1.
    """
    E, A = posterior()
    step_size = SHARE * 2.0 / linalg.eigvalsh(A)[-1]
    laws = {"exponential-euler": A, "euler-maruyama": A @ (np.eye(len(A)) - 0.5 * step_size * A)}
    integrators = reversed(laws) if wrong else laws
    checks: list[Check] = []
    for integrator, (name, precision) in zip(integrators, laws.items(), strict=True):
        pls = ProjectedLangevinSampler(
            KERNEL, likelihoods.Gaussian(NOISE), Z, particles=particles, seed=seed, step_size=step_size,
            integrator=integrator,
        ).fit(X, Y)  # fmt: skip
        rates, axes = linalg.eigh(0.5 * (precision + precision.T))
        white = (pls.coefficients_ - linalg.solve(A, E.T @ Y / NOISE)) @ axes * np.sqrt(rates)
        checks += problems.standard_normal(white, f"the law of {name}")
    return tuple(checks)


def posterior() -> tuple[np.ndarray, np.ndarray]:
    """The features E (N, M) and A, from the kernel written out; the signs of the features are the engine's."""
    values, vectors = linalg.eigh(np.exp(-0.5 * (Z - Z.T) ** 2) / len(Z))
    values, vectors = values[::-1], vectors[:, ::-1]
    E = np.exp(-0.5 * (X - Z.T) ** 2) @ vectors / np.sqrt(len(Z) * values)
    E = E * np.sign(np.sum(E * Nystroem(KERNEL, Z).features(X), axis=0))
    return E, E.T @ E / NOISE + np.diag(1.0 / values)


@claim("thesis, 6.7 (Figure 6.1); (D.215), (D.217)", wrong="Langevin steps alone")
def sign_mixing(seed: int, wrong: bool, *, particles: int = 2000) -> Checks:
    """With moves that mix, PLS finds all modes of the rate f^2 with their weights.

    Shares of the four signs of (f(-1), f(1)) against quadrature at M = 2, by chi-squared; all start positive.

    The bound is the 99.9% quantile for half as many independent particles, since mixed ones are not quite independent.
    Wrong: Langevin steps alone, for which the barrier is infinite.
    """
    settings: Facts = {"moves": "none", "steps": 1000} if wrong else {"moves": "mix"}
    # all start at the function with the value sqrt(5) at both points: the prior's energy is f^T k^-1 f / 2
    start = np.linalg.solve(Nystroem(WIDE, POINTS).features(POINTS), np.full(2, math.sqrt(5.0)))
    pls = ProjectedLangevinSampler(
        WIDE, likelihoods.Poisson(), POINTS, prior="gp", particles=particles,
        initial=np.tile(start, (particles, 1)), seed=seed, **settings,
    ).fit(ROWS, COUNTS)  # fmt: skip
    law = weights()
    f = pls.coefficients_ @ pls.basis(POINTS).T
    counts = np.bincount(2 * (f[:, 0] < 0.0) + (f[:, 1] < 0.0), minlength=4)
    chi = float(np.sum((counts - particles * law) ** 2 / (particles * law)))
    return Check("chi-squared of the four shares", chi, 2.0 * float(chdtri(3, chance.RARE)))


def weights() -> np.ndarray:
    """Posterior probabilities of the four signs, by the midpoint rule in f(-1) and f(1)."""
    edge = np.linspace(-8.0, 8.0, 801)
    middle = 0.5 * (edge[1:] + edge[:-1])
    a, b = np.meshgrid(middle, middle, indexing="ij")
    f = np.stack([a.ravel(), b.ravel()], axis=1)
    energy = 0.5 * np.einsum("ni,ij,nj->n", f, np.linalg.inv(9.0 * np.exp(-0.5 * (POINTS - POINTS.T) ** 2 / 1.4**2)), f)
    for row in range(2):
        counts = COUNTS[ROWS[:, 0] == POINTS[row, 0]]
        energy += len(counts) * f[:, row] ** 2 - 2.0 * counts.sum() * np.log(np.abs(f[:, row]))
    mass = np.exp(energy.min() - energy)
    quadrant = 2 * (f[:, 0] < 0.0) + (f[:, 1] < 0.0)
    return np.bincount(quadrant, mass) / mass.sum()
