"""Measures on functions: Bayes' law as a minimiser, values at points as limits, Fourier features as measures."""

from __future__ import annotations

import math

import numpy as np
from scipy import linalg

from particlegvi.functionspace import ExactGaussianProcess, covariances
from particlegvi.functionspace import functionals as fl
from particlegvi.verification.claim import Check, Checks, claim
from particlegvi.verification.optimum import normal_kl

NOISE = 0.1
SIZES = np.geomspace(1e-3, 1.0, 20)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)
PANELS = 24


@claim("thesis, Theorem B.1.1; not (B.8) to (B.11)", wrong="+ p(y) in the place of - log p(y), as (B.10)")
def bayes_minimises(seed: int, wrong: bool, *, others: int = 200) -> Checks:
    """Bayes' law minimises L(Q), and its value there is -log p(y).

    L(Q) = -E_Q log p(y|F) + KL(Q, P) of Gaussian laws of F at twelve inputs, written out in matrices: at the
    posterior of `ExactGaussianProcess` it is minus its log marginal likelihood, and 200 other laws have no less.
    """
    r = np.random.default_rng(seed)
    X = np.linspace(-1.0, 1.0, 12)[:, None] + r.uniform(-0.05, 0.05, (12, 1))
    k = covariances.Matern32(float(r.uniform(0.3, 0.8)), 1.3)
    y = np.sin(3.0 * X[:, 0]) + math.sqrt(NOISE) * r.standard_normal(12)
    gp = ExactGaussianProcess(k, NOISE).fit(X, y)
    mean, covariance, prior = gp.predict(X), gp.posterior_covariance(X), k(X)
    log_evidence = gp.log_marginal_likelihood()
    least = math.exp(log_evidence) if wrong else -log_evidence
    at = objective(mean, covariance, prior, y)
    half = linalg.cholesky(covariance + 1e-14 * np.eye(12), lower=True)
    values = []
    for number in range(others):
        size = SIZES[number % len(SIZES)]
        other = half + size * half @ r.standard_normal((12, 12))
        moved = mean + size * half @ r.standard_normal(12)
        values.append(objective(moved, other @ other.T, prior, y))
    return (
        Check("distance of L(posterior) to its value", abs(at - least) / abs(least), 1e-10),
        Check("amount by which another L(Q) is lower, in nats", least - min(values), 1e-9),
    )


@claim("thesis, Theorem B.2.1; its h_n lacks n^D / mass", wrong="h_n = eta(n (t - x)) / rho', as printed")
def point_values(seed: int, wrong: bool, *, n: int = 100) -> Checks:
    """A process in L2 has values at points, as weak limits of normalised bumps.

    Var <F, h_n> in L2(rho) for bumps h_n = n eta(n (t - x)) / (mass rho') at random inputs under a density rho' on
    [-1, 1], by quadrature: for n = 100 it is k(x, x) to 1e-3, for a squared exponential and a Matern 5/2.

    Wrong: h_n without n / mass, as Theorem B.2.1 prints it; the variance goes to 0.
    """
    r = np.random.default_rng(seed)
    nodes, weights = np.polynomial.legendre.leggauss(80)
    bump = np.exp(-1.0 / (1.0 - nodes**2))
    mass = float(weights @ bump)  # 0.44399
    errors = []
    for kind in (covariances.SquaredExponential, covariances.Matern52):
        k = kind(float(r.uniform(0.3, 0.8)), float(r.uniform(0.5, 2.0)))
        x, tilt = float(r.uniform(-0.5, 0.5)), float(r.uniform(-0.4, 0.4))
        t = x + nodes / n
        density = 0.5 * (1.0 + tilt * np.clip(t, -1.0, 1.0))
        h = (1.0 if wrong else n / mass) * bump / density
        of_t = weights / n * h * density  # weight of F(t) in <F, h_n>
        at = float(k([[x]]).item())
        errors.append(abs(float(of_t @ k(t[:, None]) @ of_t) - at) / at)
    return Check(f"distance of Var <F, h_{n}> to k(x, x), relative", float(max(errors)), 1e-3)


def objective(mean: np.ndarray, covariance: np.ndarray, prior: np.ndarray, y: np.ndarray) -> float:
    """-E log p(y|F) + KL(N(mean, covariance), N(0, prior)), in nats."""
    n = len(y)
    cost = 0.5 * n * math.log(2.0 * math.pi * NOISE)
    cost += float(np.sum((y - mean) ** 2) + np.trace(covariance)) / (2.0 * NOISE)
    return cost + normal_kl(mean, covariance, prior)


@claim("thesis 3.5.4, whose features in L2 have none", wrong="the density alone: g = T_k f with f in L2")
def fourier_measure(seed: int, wrong: bool, *, frequencies: int = 4) -> Checks:
    """A Fourier feature of the Matern 1/2 is a measure with point masses at both ends.

    For a Matern 1/2 with a random lengthscale and interval: the covariance of F(x) and of the integral of F under

        ((lam^2 g - g'') dx + (lam g(a) - g'(a)) delta_a + (lam g(b) + g'(b)) delta_b) / (2 lam v),   a = low, b = high,

    by quadrature, against the package's Cov(L_m F, F(x)), inside the interval and beyond both ends, for g = 1 and
    cosines and sines of up to four periods. Wrong: without the two point masses, as 3.5.4 needs it.
    """
    r = np.random.default_rng(seed)
    lengthscale, v = float(r.uniform(0.3, 1.5)), float(r.uniform(0.5, 2.0))
    low, high = float(r.uniform(-1.0, 0.0)), float(r.uniform(0.5, 2.0))
    k, lam = covariances.Matern12(lengthscale, v), 1.0 / lengthscale
    x = np.concatenate([np.linspace(low, high, 41), [low - 0.4, low - 0.05, high + 0.05, high + 0.4]])
    package = fl.Fourier(low, high, frequencies).cross(k, x[:, None])
    own = np.empty_like(package)
    w = 2.0 * np.pi * np.arange(frequencies + 1) / (high - low)
    for place, at in enumerate(x):
        nodes, weights = panels(low, high, at)
        against = weights * k([[at]], nodes[:, None])[0]
        ends = (0.0, 0.0) if wrong else k([[at]], [[low], [high]])[0]
        for m, frequency in enumerate(w):
            angle = frequency * (nodes - low)
            # g(low) = g(high) and g'(low) = g'(high), for cosines (1, 0) and for sines (0, w)
            own[m, place] = (lam**2 + frequency**2) * against @ np.cos(angle) + lam * (ends[0] + ends[1])
            if m:
                row = frequencies + m
                own[row, place] = (lam**2 + frequency**2) * against @ np.sin(angle) + frequency * (ends[1] - ends[0])
    own /= 2.0 * lam * v
    return Check("largest distance of the two covariances", float(np.abs(own - package).max()), 1e-8)


def panels(low: float, high: float, at: float) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes and weights on [low, high], in panels that end at the kink."""
    inside = [at] if low < at < high else []
    edges = np.sort(np.concatenate([np.linspace(low, high, PANELS + 1), inside]))
    half = 0.5 * np.diff(edges)
    nodes = (edges[:-1] + half)[:, None] + half[:, None] * NODES
    return nodes.ravel(), (half[:, None] * WEIGHTS).ravel()
