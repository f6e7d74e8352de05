"""Sparse variational Gaussian processes against dense formulas, exact regression, and other optimisers."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import optimize
from scipy.special import expit, gammaln
from scipy.stats import norm

from particlegvi.functionspace import ExactGaussianProcess, SparseGaussianProcess, likelihoods
from particlegvi.functionspace.covariances import Matern52, SquaredExponential
from particlegvi.functionspace.gp import coefficient_law

from ...refusals import refuse, refused

RNG = np.random.default_rng(9)
X = np.sort(RNG.uniform(-2.0, 2.0, size=25))[:, None]
Y = np.sin(2.0 * X[:, 0]) + 0.3 * RNG.normal(size=25)
Z = np.linspace(-1.8, 1.8, 6)[:, None]
NEW = np.linspace(-2.5, 2.5, 11)[:, None]
K = Matern52(0.8, 1.4)
NOISE = 0.09


def written(**members):
    """A likelihood written for these tests: the density and its slope, and nothing that the package provides."""
    return SimpleNamespace(check_targets=lambda y, rows: np.asarray(y, dtype=np.float64), **members)


GAUSSIAN = likelihoods.Gaussian(NOISE)
UNNAMED_GAUSSIAN = written(
    log_density=lambda y, f: norm.logpdf(y, f, math.sqrt(NOISE)), slope=lambda f, y: (f - y) / NOISE
)
LOGISTIC = written(
    log_density=lambda y, f: -np.logaddexp(0.0, np.where(y == 1.0, -f, f)), slope=lambda f, y: expit(f) - y
)
STUDENT = written(  # two degrees of freedom, scale 0.1: not log-concave
    log_density=lambda y, f: -1.5 * np.log1p((y - f) ** 2 / 0.02) - math.log(0.1 * 2.0 * math.sqrt(2.0)),
    slope=lambda f, y: 3.0 * (f - y) / (0.02 + (y - f) ** 2),
)
SQUARED_RATE = written(
    log_density=lambda y, f: 2.0 * y * np.log(np.abs(f)) - f * f - gammaln(y + 1.0),
    slope=lambda f, y: 2.0 * f - 2.0 * y / f,
)


class TestGaussian:
    model = SparseGaussianProcess(K, GAUSSIAN, Z).fit(X, Y)

    def test_predictions_and_the_law_of_draws_are_titsias(self):
        # Titsias (2009), (6), (10): the law of the inducing values, then the law of f given them
        sigma = np.linalg.inv(K(Z) + K(Z, X) @ K(X, Z) / NOISE)
        mean = K(NEW, Z) @ sigma @ K(Z, X) @ Y / NOISE
        covariance = K(NEW) - K(NEW, Z) @ (np.linalg.inv(K(Z)) - sigma) @ K(Z, NEW)
        found, sd = self.model.predict(NEW, return_std=True)
        np.testing.assert_allclose(found, mean, atol=1e-10)
        np.testing.assert_allclose(sd**2, covariance.diagonal(), atol=1e-10)
        root = self.model.sample(NEW, np.eye(self.model.basis.size + len(NEW))) - found
        np.testing.assert_allclose(root.T @ root, covariance, atol=1e-10)

    def test_one_natural_gradient_step_finds_the_same(self):
        climbed = SparseGaussianProcess(K, UNNAMED_GAUSSIAN, Z).fit(X, Y)
        assert climbed.facts["iterations"] == 1 and climbed.facts["converged"]
        assert climbed.bound == pytest.approx(self.model.bound, rel=1e-10)
        np.testing.assert_allclose(climbed.law.mean, self.model.law.mean, atol=1e-9)
        np.testing.assert_allclose(climbed.law.precision, self.model.law.precision, rtol=1e-8, atol=1e-8)

    def test_duplicate_points_and_more_points_than_rows_change_nothing(self):
        twice = SparseGaussianProcess(K, GAUSSIAN, np.vstack([Z, Z])).fit(X, Y)
        assert twice.bound == pytest.approx(self.model.bound, rel=1e-9)
        many = SparseGaussianProcess(K, GAUSSIAN, np.linspace(-2.0, 2.0, 40)).fit(X, Y)
        assert many.bound == pytest.approx(ExactGaussianProcess(K, NOISE).fit(X, Y).log_marginal_likelihood(), abs=1e-2)


LABELS = (Y > 0.0).astype(float)


class TestLogistic:
    model = SparseGaussianProcess(K, LOGISTIC, Z).fit(X, LABELS)

    def test_another_optimiser_finds_the_same_bound_and_no_higher_one(self):
        # the bound written out afresh, with another parametrisation: mean and Cholesky factor of the covariance
        inverse_root = np.linalg.inv(np.linalg.cholesky(K(Z)))
        a = K(X, Z) @ inverse_root.T
        left = K.diagonal(X) - np.sum(a**2, axis=1)
        nodes, weights = np.polynomial.hermite.hermgauss(40)

        def minus_bound(vector):
            mean, factor = vector[:6], np.zeros((6, 6))
            factor[np.tril_indices(6)] = vector[6:]
            factor[np.diag_indices(6)] = np.exp(factor.diagonal())
            sd = np.sqrt(np.sum((a @ factor) ** 2, axis=1) + left)
            f = (a @ mean)[:, None] + math.sqrt(2.0) * sd[:, None] * nodes
            fit = np.sum(LOGISTIC.log_density(LABELS[:, None], f) @ weights) / math.sqrt(math.pi)
            kl = 0.5 * (np.sum(factor**2) + mean @ mean - 6.0) - np.sum(np.log(factor.diagonal()))
            return kl - fit

        assert self.model.facts["converged"]
        found = optimize.minimize(minus_bound, np.zeros(27), method="BFGS")
        assert self.model.bound == pytest.approx(-found.fun, abs=1e-6)

    def test_separable_labels_are_fine(self):
        model = SparseGaussianProcess(SquaredExponential(1.0, 100.0), LOGISTIC, 6).fit(X, X[:, 0] > 0.0)
        assert model.facts["converged"]
        assert np.array_equal(model.predict(X) > 0.0, X[:, 0] > 0.0)


class TestNotLogConcave:
    def test_student_converges_below_the_evidence_and_ignores_outliers(self):
        y = Y.copy()
        y[[5, 17]] += [8.0, -6.0]
        model = SparseGaussianProcess(K, STUDENT, Z).fit(X, y)
        assert model.facts["converged"]
        others = np.setdiff1d(np.arange(25), [5, 17])
        gaussian = SparseGaussianProcess(K, GAUSSIAN, Z).fit(X, y)
        errors = [np.abs(m.predict(X)[others] - np.sin(2.0 * X[others, 0])).mean() for m in (model, gaussian)]
        assert errors[0] < 0.5 * errors[1]

    def test_squared_rate_has_two_mirror_images(self):
        counts = np.round(4.0 + 3.0 * np.sin(X[:, 0])) + 1.0
        above, below = (
            SparseGaussianProcess(K, SQUARED_RATE, Z).fit(X, counts, start=sign * np.sqrt(counts)) for sign in (1, -1)
        )
        assert above.facts["converged"] and below.facts["converged"]
        np.testing.assert_allclose(above.predict(NEW), -below.predict(NEW), atol=1e-6)
        assert above.bound == pytest.approx(below.bound, abs=1e-6)
        np.testing.assert_allclose(above.predict(X) ** 2, counts, atol=2.0)

    def test_an_impossible_start_is_refused_and_the_likelihood_may_refuse_targets(self):
        def targets(y, rows):
            raise ValueError(f"{rows} rows of the wrong kind")

        nowhere = written(log_density=lambda y, f: np.where(f > 3.0, 0.0, -np.inf) + 0.0 * y, slope=None)
        other = SimpleNamespace(check_targets=targets, log_density=None, slope=None)
        refuse(lambda: SparseGaussianProcess(K, nowhere, Z).fit(X, Y), "start must be values of f where")
        refuse(lambda: SparseGaussianProcess(K, other, Z).fit(X, Y), "25 rows of the wrong kind")

    def test_too_few_iterations_are_said(self, monkeypatch):
        monkeypatch.setattr(coefficient_law, "MOST_STEPS", 1)
        with pytest.warns(UserWarning, match="the evidence lower bound still grows after 1 steps"):
            facts = SparseGaussianProcess(K, STUDENT, Z).fit(X, Y).facts
        assert facts["iterations"] == 1 and not facts["converged"]


test_bad_input_is_refused = refused(
    lambda options: SparseGaussianProcess(K, GAUSSIAN, **{"inducing_points": Z, **options}).fit(X, Y),
    ({"inducing_points": 26}, "the number of inducing points must be at most 25, the rows of X, not 26"),
    ({"inducing_points": True}, "whole number"),
    ({"tolerance": 0.0}, r"tolerance must be a positive finite number from 1e-150 to 1e\+150, not 0\.0"),
    ({"inducing_points": np.zeros((3, 2))}, r"inducing_points must be an array \(n, 1\) of finite .*shape \(3, 2\)"),
)
