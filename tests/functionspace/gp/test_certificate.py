"""Certificates of sparse processes against exact ones in extended precision, dense formulas and printed numbers."""

import json
import math

import numpy as np
import pytest

from particlegvi.functionspace import ExactGaussianProcess, SparseGaussianProcess, likelihoods, linalg
from particlegvi.functionspace.covariances import Matern12, Matern52, SquaredExponential
from particlegvi.functionspace.gp.certificate import (
    Certificate,
    Fitted,
    largest_mean_error,
    log_ratios,
    sd_ends,
)

from ...refusals import refused
from .. import extended, references

PROBLEMS = 500


class Problem:
    """Random inputs in 1 to 5 dimensions, two kernels, 1 to N inducing points, and noise from 1e-4 to 1."""

    def __init__(self, seed):
        r = np.random.default_rng([17, seed])
        n, dim = int(r.integers(5, 41)), int(r.integers(1, 6))
        self.noise = float(10.0 ** r.uniform(-4.0, 0.0))
        kernel = (SquaredExponential, Matern52)[seed % 2]
        self.covariance = kernel(r.uniform(0.5, 3.0, dim), float(r.uniform(0.3, 3.0)))
        self.X = r.uniform(-2.0, 2.0, (n, dim))
        self.y = np.sin(2.0 * self.X[:, 0]) + 0.5 * self.X.sum(axis=1) + math.sqrt(self.noise) * r.normal(size=n)
        if seed % 10 == 0:
            self.y = np.zeros(n)
        M = int(r.integers(1, n + 1))
        points = (self.X[r.permutation(n)[:M]], r.uniform(-2.0, 2.0, (M, dim)), M)[int(r.integers(3))]
        gaussian = likelihoods.Gaussian(self.noise)
        self.model = SparseGaussianProcess(self.covariance, gaussian, points, seed=seed).fit(self.X, self.y)
        self.certificate = self.model.certify()
        self.new = np.vstack([self.X, r.uniform(-3.0, 3.0, (20, dim))])
        self.exact = extended.exact(self.covariance, self.X, self.y, self.noise, self.new)
        self.kl = float(self.exact.evidence - extended.bound(self.model, self.X, self.y, self.noise))

    def broken(self, certificate):
        """Which promises are broken: that of KL, of the mean, or of the standard deviation."""
        mean, _ = self.model.predict(self.new, return_std=True)
        low, high = certificate.sd_range(self.new)
        sd = self.exact.sd
        return [
            certificate.kl < self.kl,
            bool(np.any(np.abs(mean - self.exact.mean) > certificate.mean_error(self.new))),
            bool(np.any(sd < low) or np.any(sd > high)),
        ]

    def without(self, kl):
        """The certificate that another bound on KL would give."""
        X, y = self.X, self.y
        return Certificate(Fitted(self.model.basis, self.model.law, X, y, self.noise), kl, (-math.inf, math.inf), {})


@pytest.fixture(scope="module")
def problems():
    return [Problem(seed) for seed in range(PROBLEMS)]


def test_a_few_are_never_below_the_truth():
    for problem in map(Problem, range(15)):
        assert problem.broken(problem.certificate) == [False] * 3
        assert problem.broken(problem.without(0.5 * problem.kl))[0]  # control


@pytest.mark.slow
def test_it_is_never_below_the_truth(problems):
    assert [p.broken(p.certificate) for p in problems] == [[False] * 3] * PROBLEMS
    for p in problems:
        lower, upper = p.certificate.evidence
        assert lower <= p.exact.evidence <= upper
        assert p.certificate.kl >= p.certificate.facts["rounding"] > 0.0
        assert p.certificate.facts["informative"] == (p.certificate.kl <= 0.5 * math.log(2.0))
    assert {p.certificate.facts["informative"] for p in problems} == {True, False}


@pytest.mark.thorough
def test_the_tight_gap_is_tight(problems):
    """At most 1.25 KL in 95 of 100 problems with 1e-5 < KL < 0.1; the bound of Titsias is not."""
    some = [p for p in problems if 1e-5 < p.kl < 0.1]
    assert len(some) > 20
    tight = [p.certificate.kl / p.kl for p in some]
    loose = [p.certificate.facts["trace"] / p.kl for p in some]
    assert np.quantile(tight, 0.95) < 1.25 < np.quantile(loose, 0.5)


# Terms against dense formulas -----------------------------------------------------------------------------------------


def regression(seed, n, M, dim, noise):
    k, X, y, Z = references.regression(seed, n, M, dim, noise)
    return k, X, y, SparseGaussianProcess(k, likelihoods.Gaussian(noise), Z).fit(X, y)


K, X, Y, MODEL = regression(0, 20, 5, 1, 0.04)


@pytest.mark.parametrize(
    ("problem", "evidence", "bound", "upper", "kl"),
    [
        ((0, 20, 5, 1, 0.04), -3.483133375, -119.1189611, 2.670016857, 115.6357541),
        ((1, 30, 8, 2, 0.1), -24.83482467, -101.694586, -8.148450382, 76.85976128),
    ],
)
def test_reference_numbers(problem, evidence, bound, upper, kl):
    k, X, y, model = regression(*problem)
    exact = ExactGaussianProcess(k, problem[-1]).fit(X, y).log_marginal_likelihood()
    assert exact == pytest.approx(evidence, rel=1e-6)
    assert model.bound == pytest.approx(bound, rel=1e-6)
    assert exact - model.bound == pytest.approx(kl, rel=1e-6)
    certificate = model.certify()
    facts = certificate.facts
    assert facts["trace"] == pytest.approx(upper - bound, rel=1e-6)
    # one step of conjugate gradients for C v = y, preconditioned by Q + s2, by dense matrices
    e, noise = model.basis.features(X), problem[-1]
    Q, C = e @ e.T + noise * np.eye(len(X)), k(X) + noise * np.eye(len(X))
    p = np.linalg.solve(Q, y)
    quadratic = y @ p - (y @ p) ** 2 / (p @ C @ p)
    inside = np.trace(np.linalg.solve(Q, C - Q))
    tight = 0.5 * (quadratic + np.trace(C - Q) / noise - math.log1p(inside))
    assert facts["tight"] == pytest.approx(tight, rel=1e-9) and facts["finite"]
    assert certificate.kl == min(facts["tight"], facts["trace"]) + facts["rounding"]


def test_blocks_and_threads_change_no_byte(monkeypatch, rng):
    X, k = rng.normal(size=(300, 3)), Matern12([1.0, 2.0, 0.5], 1.3)
    V = rng.normal(size=(300, 4))
    np.testing.assert_allclose(linalg.product(k, X, V), k(X) @ V, rtol=1e-12, atol=1e-12)
    monkeypatch.setattr(linalg, "ENTRIES", 17 * 300)
    found = []
    for number in ("1", "2"):
        monkeypatch.setenv("NUMBA_NUM_THREADS", number)
        found.append(linalg.product(k, X, V))
    assert found[0].tobytes() == found[1].tobytes()
    np.testing.assert_allclose(found[0], k(X) @ V, rtol=1e-12, atol=1e-12)


# The guarantee at an input --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [1e-14, 3e-7, 1e-3, 0.1, 1.0, 30.0])
def test_the_guarantee_is_reached_and_not_broken(gap, rng):
    """Gaussians on the line at exactly this KL are all within, and some reach the bound."""
    low, high = log_ratios(gap)
    t = rng.uniform(low, high, 2000) * (1.0 - 1e-6)
    left = 2.0 * gap - (np.expm1(t) - t)
    t, left = np.append(t[left >= 0.0], -2.0 * gap if low < -2.0 * gap else 0.0), left[left >= 0.0]
    r = np.exp(t)
    # q = N(0, 1): var_p = 1 / r
    mean = np.sqrt(np.maximum(2.0 * gap - (np.expm1(t) - t), 0.0) / r)
    found = largest_mean_error(gap, np.ones(1), np.full(1, np.inf))[0]
    assert found == pytest.approx(math.sqrt(math.expm1(2.0 * gap)), rel=1e-12)
    assert 1.0 - 1e-9 <= mean.max() / found <= 1.0 + 1e-9
    below, above = sd_ends(gap, np.ones(1), np.full(1, np.inf))
    assert below[0] <= r.max() ** -0.5 and r.min() ** -0.5 <= above[0]
    slack = 1.0 if gap < 1e-6 else 1e-6
    for end in (low, high):
        assert abs(math.expm1(end) - end - 2.0 * gap) <= slack * 2.0 * gap


def test_the_variance_of_the_prior_cuts_the_guarantee():
    """Against a search over all exact laws whose variance is at most the prior's."""
    gap, variance, prior = 0.8, 0.5, 0.9

    def minus(log_r):
        var_p = variance / math.exp(log_r)
        return -math.sqrt(max(var_p * (2.0 * gap + 1.0 + log_r - math.exp(log_r)), 0.0))

    grid = np.linspace(math.log(variance / prior), 3.0, 200_001)
    worst = -min(map(minus, grid))
    found = largest_mean_error(gap, np.array([variance]), np.array([prior]))[0]
    assert found == pytest.approx(worst, rel=1e-6)
    assert found < math.sqrt(variance * math.expm1(2.0 * gap))
    assert sd_ends(gap, np.array([variance]), np.array([prior]))[1][0] == math.sqrt(prior)


def test_a_large_gap_has_finite_bounds():
    model = SparseGaussianProcess(K, likelihoods.Gaussian(1e-6), X[:1]).fit(X, 1e3 * Y)
    certificate = model.certify()
    assert certificate.kl > 1e6 and not certificate.facts["informative"]
    assert np.all(np.isfinite(certificate.mean_error(X)))
    low, high = certificate.sd_range(X)
    assert np.all((low >= 0.0) & (high <= math.sqrt(1.7) * (1.0 + 1e-14)) & (low < high))
    assert json.loads(json.dumps(certificate.facts)) == certificate.facts


test_bad_input_is_refused = refused(
    (lambda: SparseGaussianProcess(K, likelihoods.get("bernoulli-logistic"), X[:3]).fit(X, Y > 0.0).certify(),
     "the likelihood for certify must be Gaussian, not Bernoulli"),
    (lambda: SparseGaussianProcess(K, MODEL.likelihood, X[:3]).certify(), "call fit"),
    (lambda: MODEL.certify().mean_error(np.zeros((3, 2))), r"X must be an array \(n, 1\)"),
)  # fmt: skip
