"""The rate f^2: at counts of at least 1 no path crosses f = 0, and only additional moves mix the signs."""

from __future__ import annotations

import math

import numpy as np

import particlegvi as pg
from particlegvi.contracts import Facts
from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

Z = np.array([[-1.0], [1.0]])
X = np.repeat(Z, 4, axis=0)
Y = np.array([4.0, 6.0, 5.0, 3.0, 7.0, 5.0, 4.0, 6.0])
QUADRANTS = ("$+\\,+$", "$+\\,-$", "$-\\,+$", "$-\\,-$")


class SignMixing(Claim):
    """Shares of the four signs of (f(-1), f(1)) against quadrature at M = 2, by chi-squared; all start positive.

    The bound is the 99.9% quantile for half as many independent particles, since mixed ones are not quite independent.
    Wrong: Langevin steps alone, for which the barrier is infinite.
    """

    name = "sign-mixing"
    claim = "With moves that mix, PLS finds all modes of the rate f^2 with their weights"
    source = "thesis, 6.7 (Figure 6.1); (D.215), (D.217)"
    wrong = "Langevin steps alone"
    particles = 2000

    def measure(self, seed: int, wrong: bool) -> Experiment:
        settings: Facts = {"moves": "none", "steps": 1000} if wrong else {"moves": "mix"}
        pls = ProjectedLangevinSampler(
            pg.kernels.SquaredExponential(lengthscale=1.4, variance=9.0), likelihoods.Poisson(), Z, prior="gp",
            particles=self.particles, initial=positive_start(self.particles), seed=seed, **settings,
        ).fit(X, Y)  # fmt: skip
        law = weights()
        f = pls.coefficients_ @ pls.basis(Z).T
        counts = np.bincount(2 * (f[:, 0] < 0.0) + (f[:, 1] < 0.0), minlength=4)
        chi = float(np.sum((counts - self.particles * law) ** 2 / (self.particles * law)))
        from scipy.special import chdtri

        check = Check("chi-squared of the four shares", chi, 2.0 * float(chdtri(3, chance.RARE)))
        return Experiment((check,), {"shares": counts / self.particles, "law": law})

    def draw(self, picture: Picture, data: Data) -> None:
        picture.shares(data["shares"], data["law"], "quadrature").axes.set_xticks(range(4), QUADRANTS)
        picture.frame("signs of $f(-1), f(1)$", "share", "upper center", ylim=(0.0, 1.05))


def kernel_matrix() -> np.ndarray:
    """k(Z, Z), written out."""
    return 9.0 * np.exp(-0.5 * (Z - Z.T) ** 2 / 1.4**2)


def positive_start(particles: int) -> np.ndarray:
    """Coefficients of the function with the value sqrt(5) at both points: the prior's energy is f^T k^-1 f / 2."""
    from particlegvi.functionspace.basis import Nystroem

    basis = Nystroem(pg.kernels.SquaredExponential(lengthscale=1.4, variance=9.0), Z)
    return np.tile(np.linalg.solve(basis.features(Z), np.full(2, math.sqrt(5.0))), (particles, 1))


def weights() -> np.ndarray:
    """Posterior probabilities of the four signs, by the midpoint rule in f(-1) and f(1)."""
    edge = np.linspace(-8.0, 8.0, 801)
    middle = 0.5 * (edge[1:] + edge[:-1])
    a, b = np.meshgrid(middle, middle, indexing="ij")
    f = np.stack([a.ravel(), b.ravel()], axis=1)
    energy = 0.5 * np.einsum("ni,ij,nj->n", f, np.linalg.inv(kernel_matrix()), f)
    for row in range(2):
        counts = Y[X[:, 0] == Z[row, 0]]
        energy += len(counts) * f[:, row] ** 2 - 2.0 * counts.sum() * np.log(np.abs(f[:, row]))
    mass = np.exp(energy.min() - energy)
    quadrant = 2 * (f[:, 0] < 0.0) + (f[:, 1] < 0.0)
    return np.bincount(quadrant, mass) / mass.sum()
