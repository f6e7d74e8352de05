"""The measures on functions of chapter 4: Bayes' law as a minimiser, and values at points as weak limits."""

from __future__ import annotations

import math

import numpy as np
from scipy import linalg

from particlegvi.functionspace import ExactGaussianProcess, covariances
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

NOISE = 0.1
SIZES = np.geomspace(1e-3, 1.0, 20)


class BayesMinimises(Claim):
    """L(Q) = -E_Q log p(y|F) + KL(Q, P) of Gaussian laws of F at twelve inputs, written out in matrices: at the
    posterior of `ExactGaussianProcess` it is minus its log marginal likelihood, and 200 other laws have no less.

    Wrong: p(y) in the place of -log p(y), as (B.10) prints it.
    """

    name = "bayes-minimises"
    claim = "Bayes' law minimises L(Q), and its value there is -log p(y)"
    source = "thesis, Theorem B.1.1; not (B.8) to (B.11)"
    wrong = "+ p(y) in the place of - log p(y), as (B.10)"
    others = 200

    def measure(self, seed: int, wrong: bool) -> Experiment:
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
        found = []
        for number in range(self.others):
            size = SIZES[number % len(SIZES)]
            other = half + size * half @ r.standard_normal((12, 12))
            moved = mean + size * half @ r.standard_normal(12)
            found.append((size, objective(moved, other @ other.T, prior, y) - least))
        table = np.array(found)
        checks = (
            Check("distance of L(posterior) to its value", abs(at - least) / abs(least), 1e-10),
            Check("the value above another L(Q), in nats", float(np.max(-table[:, 1])), 1e-9),
        )
        return Experiment(checks, {"table": table})

    def draw(self, picture: Picture, data: Data) -> None:
        picture.pairs(data["table"], "other laws $Q$", markersize=4).level(0.0, "the value as tried")
        picture.frame("size of the change", "$L(Q)$ above the value, nats", "upper left", log="x", symlog=1e-4)


class PointValues(Claim):
    """Var <F, h_n> in L2(rho) for bumps h_n = n eta(n (t - x)) / (mass rho') at random inputs under a density rho' on
    [-1, 1], by quadrature: for n = 100 it is k(x, x) to 1e-3, for a squared exponential and a Matern 5/2.

    Wrong: h_n without n / mass, as Theorem B.2.1 prints it; the variance goes to 0.
    """

    name = "point-values"
    claim = "A process in L2 has values at points, as weak limits of normalised bumps"
    source = "thesis, Theorem B.2.1; its h_n lacks n^D / mass"
    wrong = "h_n = eta(n (t - x)) / rho', as printed"
    sizes = (1, 2, 5, 10, 20, 50, 100)

    def measure(self, seed: int, wrong: bool) -> Experiment:
        r = np.random.default_rng(seed)
        nodes, weights = np.polynomial.legendre.leggauss(80)
        bump = np.exp(-1.0 / (1.0 - nodes**2))
        mass = float(weights @ bump)  # 0.44399
        errors, curves = [], []
        for kind in (covariances.SquaredExponential, covariances.Matern52):
            k = kind(float(r.uniform(0.3, 0.8)), float(r.uniform(0.5, 2.0)))
            x, tilt, variances = float(r.uniform(-0.5, 0.5)), float(r.uniform(-0.4, 0.4)), []
            for n in self.sizes:
                t = x + nodes / n
                density = 0.5 * (1.0 + tilt * np.clip(t, -1.0, 1.0))
                h = (1.0 if wrong else n / mass) * bump / density
                of_t = weights / n * h * density  # weight of F(t) in <F, h_n>
                variances.append(float(of_t @ k(t[:, None]) @ of_t))
            at = float(k([[x]]).item())
            errors.append(abs(variances[-1] - at) / at)
            curves.append(np.array(variances) / at)
        check = Check("distance of Var <F, h_100> to k(x, x), relative", float(max(errors)), 1e-3)
        return Experiment((check,), {"curves": np.array(curves)})

    def draw(self, picture: Picture, data: Data) -> None:
        picture.curves(self.sizes, data["curves"], ("squared exponential", "Matern 5/2"), "o-").level(1.0, "$k(x, x)$")
        labels = ("$n$", r"Var $\langle F, h_n \rangle$ / $k(x, x)$")
        picture.frame(*labels, "center right", log="x", ylim=(-0.05, 1.1))


def objective(mean: np.ndarray, covariance: np.ndarray, prior: np.ndarray, y: np.ndarray) -> float:
    """-E log p(y|F) + KL(N(mean, covariance), N(0, prior)), in nats."""
    n = len(y)
    cost = 0.5 * n * math.log(2.0 * math.pi * NOISE)
    cost += float(np.sum((y - mean) ** 2) + np.trace(covariance)) / (2.0 * NOISE)
    inside = linalg.solve(prior, covariance, assume_a="pos")
    kl = np.trace(inside) + mean @ linalg.solve(prior, mean, assume_a="pos") - n - np.linalg.slogdet(inside)[1]
    return float(cost + 0.5 * kl)
