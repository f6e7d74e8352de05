"""The law of functions of PLS: that of the exact Gaussian process where nothing is approximated."""

from __future__ import annotations

import numpy as np
from scipy import linalg

import particlegvi as pg
from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods, residuals
from particlegvi.functionspace.basis import Nystroem
from particlegvi.functionspace.covariances import Matern32
from particlegvi.plotting import palettes
from particlegvi.verification import problems
from particlegvi.verification.claim import Check, Checks, Claim
from particlegvi.verification.picture import Picture

NOISE, LENGTHSCALE = 0.05, 0.8
X = np.linspace(-2.0, 2.0, 12)[:, None]
Y = np.sin(2.0 * X[:, 0]) + 0.2 * np.cos(9.0 * X[:, 0])
NEW = np.array([[-3.0], [-0.7], [0.4], [2.3]])
SHOWN = np.linspace(-3.5, 3.5, 141)[:, None]
KERNEL = Matern32(0.8, 1.3)
Z = np.linspace(-2.0, 2.0, 9)[:, None]
INPUTS = 25


class ExactProcess(Claim):
    """Functions at four new inputs together, whitened by Rasmussen and Williams's (2.23), (2.24), against normals,
    with no correlation left.

    The prior is N(0, I), for which F is the process with covariance k. Wrong: four inducing points, with which PLS is a
    visible approximation.
    """

    claim = "With every input an inducing point, PLS draws from the exact Gaussian process"
    source = "thesis, 6.5.2 and D.8 (M = N)"
    wrong = "four inducing points instead of twelve"
    particles = 4000

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        pls = ProjectedLangevinSampler(
            pg.kernels.SquaredExponential(LENGTHSCALE, variance=1.0), likelihoods.Gaussian(NOISE),
            np.linspace(-2.0, 2.0, 4)[:, None] if wrong else X, particles=self.particles, prior="gp", seed=seed,
        ).fit(X, Y)  # fmt: skip
        mean, covariance = conditioned(NEW)
        factor = linalg.cholesky(covariance, lower=True)
        white = linalg.solve_triangular(factor, (pls.sample(NEW) - mean).T, lower=True)
        centre, sd = pls.predict(SHOWN, return_std=True)
        x, (mean, covariance) = SHOWN[:, 0], conditioned(SHOWN)
        half = 2.0 * np.sqrt(np.maximum(covariance.diagonal(), 0.0))
        picture.band(x, centre, 2.0 * sd, r"PLS, mean $\pm$ 2 sd")
        picture.truth(x, np.stack([mean - half, mean, mean + half], axis=1), "exact process", linewidth=1.4)
        picture.data(X[:, 0], Y)
        picture.frame("input $x$", "function value", "upper left", xlim=(-3.5, 3.5), ylim=(-3.0, 6.0))
        return problems.standard_normal(white.T, "the exact process")


def kernel(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """k(a, b), written out."""
    return np.exp(-0.5 * (a - b.T) ** 2 / LENGTHSCALE**2)


def conditioned(new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of the exact process at new inputs."""
    solved = linalg.solve(kernel(X, X) + NOISE * np.eye(len(X)), kernel(X, new), assume_a="pos")
    return solved.T @ Y, kernel(new, new) - kernel(new, X) @ solved


class ResidualCovariance(Claim):
    """The eigenvalues of the joint covariance of F(X*) and u: none may be below 0, but for rounding.

    F = sum_m u_m e_m + G with u ~ N(0, Lambda), and the covariance of G is that of k given Z. Wrong: the block of F(X*)
    has r estimated from X* and Z together, as in (D.122), while the cross block and Lambda come from Z alone.
    """

    claim = "The joint covariance of a function and its coefficients has no negative eigenvalue"
    source = "thesis, (6.18), D.9; not (D.122), (D.219)"
    wrong = "r rebuilt from the new inputs, as in (D.122)"

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        X = np.random.default_rng(seed).uniform(-2.5, 2.5, (INPUTS, 1))
        basis = Nystroem(KERNEL, Z)
        if wrong:
            joint = residuals.ThesisResidual(basis).joint(X)
        else:
            e, scales = basis.features(X), basis.eigenvalues
            cross = e * scales
            values = cross @ e.T + residuals.get("gp", basis).covariance(X)
            joint = np.block([[values, cross], [cross.T, np.diag(scales)]])
        ascending = linalg.eigvalsh(joint)
        relative = ascending[::-1] / ascending[-1]
        rounding = 100.0 * len(joint) * float(np.finfo(float).eps)
        number, negative = np.arange(1, len(relative) + 1), relative < -1e-12
        picture.dots(number[~negative], relative[~negative], "not negative")
        if negative.any():
            picture.dots(number[negative], relative[negative], "negative", "X", color=palettes.VERMILLION)
        labels, ticks = ("number of the eigenvalue", "eigenvalue / largest"), [-0.1, -0.01, 0.0, 0.01, 0.1, 1.0]
        names = [f"{tick:g}" for tick in ticks]
        picture.level(0.0).frame(*labels, symlog=1e-3, yticks=ticks, yticklabels=names, ylim=(-1.0, 2.0))
        return Check("most negative eigenvalue, relative", max(0.0, -float(relative[-1])), rounding)
