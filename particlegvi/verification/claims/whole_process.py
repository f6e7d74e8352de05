"""The law of functions of PLS: that of the exact Gaussian process where nothing is approximated."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg

import particlegvi as pg
from particlegvi.functionspace import ProjectedLangevinSampler, likelihoods, residuals
from particlegvi.functionspace.basis import Nystroem
from particlegvi.functionspace.covariances import Matern32
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Checks, claim

NOISE, LENGTHSCALE = 0.05, 0.8
X = np.linspace(-2.0, 2.0, 12)[:, None]
Y = np.sin(2.0 * X[:, 0]) + 0.2 * np.cos(9.0 * X[:, 0])
NEW = np.array([[-3.0], [-0.7], [0.4], [2.3]])
KERNEL = Matern32(0.8, 1.3)
Z = np.linspace(-2.0, 2.0, 9)[:, None]
INPUTS = 25


@claim("thesis, 6.5.2 and D.8 (M = N)", wrong="four inducing points instead of twelve")
def exact_process(seed: int, wrong: bool, *, particles: int = 4000) -> Checks:
    """With every input an inducing point, PLS draws from the exact Gaussian process.

    Functions at new inputs together, whitened by Rasmussen and Williams's (2.23), (2.24), against normals, with no
    correlation left.

    With the prior N(0, I), F is the process with covariance k, residual included. With N(0, Lambda), as in D.8, the sum
    over the functions of the basis is the process with r(x, x') = k(x, X) k(X, x') / N, the iterated kernel under nu of
    the inputs. Wrong: four inducing points, with which PLS is a visible approximation.
    """
    pls, of_r = (ProjectedLangevinSampler(
        pg.kernels.SquaredExponential(LENGTHSCALE, variance=1.0), likelihoods.Gaussian(NOISE),
        np.linspace(-2.0, 2.0, 4)[:, None] if wrong else X, particles=particles, prior=prior, seed=own,
    ).fit(X, Y) for prior, own in zip(("gp", "rkhs"), (seed, *chance.seeds(seed, 1)), strict=True))  # fmt: skip
    whole = whitened(pls.sample(NEW), *conditioned(NEW))
    inside = whitened(of_r.coefficients_ @ of_r.basis(NEW[:3]).T, *conditioned(NEW[:3], iterated))
    laws = {"the exact process": whole, "the exact process of r": inside}
    return tuple(check for law, white in laws.items() for check in problems.standard_normal(white, law))


def kernel(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """k(a, b), written out."""
    return np.exp(-0.5 * (a - b.T) ** 2 / LENGTHSCALE**2)


def iterated(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """r(a, b) under the empirical law of X."""
    return kernel(a, X) @ kernel(X, b) / len(X)


def conditioned(new: np.ndarray, k: Callable[..., np.ndarray] = kernel) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of the exact process with covariance k at new inputs."""
    solved = linalg.solve(k(X, X) + NOISE * np.eye(len(X)), k(X, new), assume_a="pos")
    return solved.T @ Y, k(new, new) - k(new, X) @ solved


def whitened(draws: np.ndarray, mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Standard normals (draws, n), if the draws are those of this law."""
    return linalg.solve_triangular(linalg.cholesky(covariance, lower=True), (draws - mean).T, lower=True).T


@claim("thesis, D.13: (D.200), Theorem D.13.4", wrong="prior N(0, k(Z, Z)) of the values")
def values_at_inducing_points(seed: int, wrong: bool, *, particles: int = 4000) -> Checks:
    """F(Z) of PLS has the stationary law of the diffusion of values at inducing points.

    F(Z) at nine inducing points, whitened by the law of Theorem D.13.4, against normals, with no correlation left.

    With Gaussian noise this law has the precision B^T B / s2 + M k(Z, Z)^-2, B = k(X, Z) k(Z, Z)^-1: computed with
    kernel matrices alone, without the basis in which PLS moves. Wrong: k(Z, Z)^-1 as the precision of the prior.
    """
    pls = ProjectedLangevinSampler(
        KERNEL, likelihoods.Gaussian(NOISE), Z, particles, prior="gp" if wrong else "rkhs", seed=seed
    ).fit(X, Y)
    values = pls.coefficients_ @ pls.basis(Z).T
    inverse = linalg.inv(KERNEL(Z))
    B = KERNEL(X, Z) @ inverse
    covariance = linalg.inv(B.T @ B / NOISE + len(Z) * inverse @ inverse)
    mean = covariance @ B.T @ Y / NOISE
    return problems.standard_normal(whitened(values, mean, 0.5 * (covariance + covariance.T)), "that law")


@claim("thesis, (6.18), D.9; not (D.122), (D.219)", wrong="r rebuilt from the new inputs, as in (D.122)")
def residual_covariance(seed: int, wrong: bool) -> Checks:
    """The joint covariance of a function and its coefficients has no negative eigenvalue.

    The eigenvalues of the joint covariance of F(X*) and u: none may be below 0, but for rounding.

    F = sum_m u_m e_m + G with u ~ N(0, Lambda), and the covariance of G is that of k given Z. Wrong: the block of F(X*)
    has r estimated from X* and Z together, as in (D.122), while the cross block and Lambda come from Z alone.
    """
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
    rounding = 100.0 * len(joint) * float(np.finfo(float).eps)
    return Check("most negative eigenvalue, relative", max(0.0, -float(ascending[0] / ascending[-1])), rounding)
