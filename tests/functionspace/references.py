"""References for function space: closed forms, quadrature, a Metropolis sampler, and data of the sources."""

import numpy as np
from scipy.special import expit

from particlegvi.functionspace.covariances import SquaredExponential


class OwnProfile(SquaredExponential):
    """exp(-s2), which the engine does not have, in a class of a user whose parent the engine compiles."""

    name = "own-profile-in-a-test"
    profile = staticmethod(lambda s2: np.exp(-s2))
    slope = staticmethod(lambda s2: -np.exp(-s2))


def gaussian_posterior(features, y, noise_variance, prior_variances):
    """Mean and covariance of the coefficients, by whitening with the prior."""
    roots = np.sqrt(prior_variances)
    whitened = features * roots
    precision = whitened.T @ whitened / noise_variance + np.eye(len(roots))
    covariance = roots[:, None] * np.linalg.inv(precision) * roots
    return covariance @ features.T @ y / noise_variance, covariance


def dense_kl(one, two):
    """KL of the Gaussian one to the Gaussian two, both (mean, covariance), by inverses and determinants."""
    (m, C), (mean, covariance) = one, two
    precision = np.linalg.inv(covariance)
    logs = np.linalg.slogdet(covariance)[1] - np.linalg.slogdet(C)[1]
    return 0.5 * (np.trace(precision @ C) - len(m) + (m - mean) @ precision @ (m - mean) + logs)


def assert_law(coefficients, mean, covariance, share=0.12):
    """Means within 5 standard errors, variances within 12%, and correlations that fit as well."""
    sd = np.sqrt(np.diag(covariance))
    assert np.all(np.abs(coefficients.mean(axis=0) - mean) < 5.0 * sd / np.sqrt(len(coefficients)))
    np.testing.assert_allclose(coefficients.var(axis=0), sd**2, rtol=share)
    white = np.linalg.solve(np.linalg.cholesky(covariance / np.outer(sd, sd)), (coefficients / sd).T)
    np.testing.assert_allclose(np.cov(white), np.eye(len(sd)), atol=share)


def metropolis(energy, start, steps, seed, kept_from=0.25, every=5):
    """Random-walk Metropolis: one chain for each row of ``start``; the states after a quarter of the steps."""
    rng = np.random.default_rng(seed)
    u = start.copy()
    dim = u.shape[1]
    shape = np.linalg.cholesky(np.atleast_2d(np.cov(start.T)) + 1e-14 * np.eye(dim)) * 2.0 / np.sqrt(dim)
    here = energy(u)
    kept = []
    for step in range(steps):
        proposed = u + rng.normal(size=u.shape) @ shape.T
        there = energy(proposed)
        accepted = np.log(rng.random(len(u))) < here - there
        u[accepted], here[accepted] = proposed[accepted], there[accepted]
        if step >= kept_from * steps and step % every == 0:
            kept.append(u.copy())
    return np.concatenate(kept)


def grid_posterior(energy, prior_variances, reach=6.5, points=1000):
    """Coefficients (points^2, 2) and their probabilities, by the midpoint rule in two dimensions."""
    edge = np.linspace(-reach, reach, points + 1)
    middle = 0.5 * (edge[1:] + edge[:-1])
    a, b = np.meshgrid(middle, middle, indexing="ij")
    u = np.stack([a.ravel(), b.ravel()], axis=1) * np.sqrt(prior_variances)
    energies = energy(u)
    weights = np.exp(energies.min() - energies)
    return u, weights / weights.sum()


def sine_labels(rng, rows, steepness=3.0):
    """Inputs (rows, 1) and labels whose log odds are a sine of them."""
    X = rng.uniform(-2.0, 2.0, (rows, 1))
    return X, (rng.random(rows) < expit(steepness * np.sin(2.0 * X[:, 0]))).astype(float)


def huggins(rows, first):
    """The data of the synthetic experiment of Huggins et al. (2019), X (rows, 1) and y, scaled by the first of them."""
    r = np.random.RandomState(1)
    X = r.rand(rows, 1)
    y = (np.sin(12.0 * X) + 0.66 * np.cos(25.0 * X) + r.randn(rows, 1) * 0.1 + 3.0)[:, 0]
    return tuple((each - each[:first].mean(axis=0)) / each[:first].std(axis=0, ddof=1) for each in (X, y))


def regression(seed, n, M, dim, noise):
    """Problems R1 and R2 of the notes on Huggins et al. (2019) and Burt et al. (2020): k, X, y and inducing points."""
    r = np.random.default_rng(seed)
    X = r.uniform(-2.0, 2.0, (n, dim))
    y = np.sin(2.0 * X[:, 0]) + 0.5 * X.sum(axis=1) + np.sqrt(noise) * r.normal(size=n)
    return SquaredExponential(np.linspace(0.7, 1.3, dim), 1.7), X, y, r.uniform(-2.0, 2.0, (M, dim))
