"""Lemma 6.6.3: with Gaussian noise projected Langevin sampling draws from the best law itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import particlegvi as pg
from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.optimum import Leading, Projection, probabilities
from particlegvi.verification.picture import Picture

if TYPE_CHECKING:
    from particlegvi.functionspace.likelihoods.likelihood import Likelihood

KERNEL = pg.kernels.SquaredExponential(lengthscale=0.5, variance=4.0)
X = np.linspace(-1.5, 1.5, 7)[:, None]
Y = np.array([0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0])
NODES = 60


class GaussianProjection(Claim):
    """Particles against tau* of (6.22), by quadrature, for the same labels and M = 1: the largest distance of the cdfs.

    Wrong: a logistic likelihood, which is not quadratic, so that the residual changes tau*.
    """

    name = "gaussian-projection"
    claim = "With Gaussian noise PLS draws from the best law itself, not only near it"
    source = "thesis, Lemma 6.6.3; Lemma D.12.2"
    wrong = "logistic likelihood in place of Gaussian noise"
    same_scale = False
    particles = 10_000

    def measure(self, seed: int, wrong: bool) -> Experiment:
        likelihood: Likelihood = likelihoods.Bernoulli() if wrong else likelihoods.Gaussian(noise_variance=0.5)
        problem = Projection(KERNEL, likelihood, X, Y, 1)
        pls = ProjectedLangevinSampler(
            Leading(problem.basis, 1), likelihood, X, particles=self.particles, seed=seed
        ).fit(X, Y)  # fmt: skip
        grid = problem.grid(4001)
        best = probabilities(problem.potential(grid, NODES))
        width = grid[1, 0] - grid[0, 0]
        ends = np.append(grid[:, 0] - 0.5 * width, grid[-1, 0] + 0.5 * width)
        cumulative = np.append(0.0, np.cumsum(best))
        distance = chance.ks_to_cdf(pls.coefficients_[:, 0], lambda u: np.interp(u, ends, cumulative))
        check = Check("KS distance of the particles to tau*", distance, chance.kolmogorov_smirnov(self.particles))
        data = {"u": grid[:, 0], "best": best / width, "particles": pls.coefficients_[:, 0]}
        return Experiment((check,), data)

    def draw(self, picture: Picture, data: Data) -> None:
        inside = data["u"][data["best"] > 1e-4 * data["best"].max()]
        picture.histogram(data["particles"], (inside[0], inside[-1]))
        picture.truth(data["u"], data["best"], r"best law $\tau^*$").frame("coefficient $u_1$")
