"""Projected Langevin sampling with Gaussian noise, where everything is known in closed form."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.steps.projected import log_ratios
from particlegvi.functionspace import ProjectedLangevinSampler, covariances, likelihoods
from particlegvi.functionspace.sampling import langevin

from ..references import assert_law, gaussian_posterior

PARTICLES = 4000


def data(seed, rows, inputs=1):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (rows, inputs))
    return X, np.sin(3.0 * X[:, 0]) + 0.5 * X[:, -1] + 0.3 * rng.normal(size=rows)


def sampler(kernel, Z, noise_variance=0.1, **settings):
    settings.setdefault("particles", PARTICLES)
    return ProjectedLangevinSampler(kernel, likelihoods.Gaussian(noise_variance), Z, **settings)


@pytest.mark.parametrize(
    ("seed", "rows", "inputs", "Z", "kernel", "noise_variance", "prior"),
    [
        (1, 60, 1, 8, pg.kernels.SquaredExponential(0.5, 1.0), 0.1, "rkhs"),
        (2, 60, 1, 8, pg.kernels.SquaredExponential(0.5, 1.0), 0.1, "gp"),
        (3, 400, 2, 20, pg.kernels.Matern52(1.3, 2.0), 0.01, "rkhs"),
        (4, 25, 3, 12, covariances.Matern32(lengthscale=[0.4, 2.0, 5.0], variance=30.0), 2.0, "rkhs"),
        (5, 1000, 1, 32, pg.kernels.SquaredExponential(0.7, 0.2), 1e-3, "gp"),
        (6, 4, 1, 40, pg.kernels.SquaredExponential(1.0, 1.0), 0.5, "rkhs"),  # more inducing points than data
    ],
)
@pytest.mark.parametrize("own", [False, True])
@pytest.mark.sample("True-1-*", "True-5-*", "False-*")
def test_coefficients_have_the_posterior_law(seed, rows, inputs, Z, kernel, noise_variance, prior, own):
    X, y = data(seed, rows, inputs)
    points = Z if rows >= Z else np.linspace(-2, 2, Z)[:, None]
    settings = {"step_size": 0.05, "steps": 400} if own else {}
    pls = sampler(kernel, points, noise_variance, prior=prior, seed=seed, **settings).fit(X, y)
    variances = pls.eigenvalues_ if prior == "rkhs" else np.ones(len(pls.eigenvalues_))
    E = pls.basis(X)
    assert_law(pls.coefficients_, *gaussian_posterior(E, y, noise_variance, variances))
    assert pls.info_["equilibrium"]["reached"]
    direct = 0.5 * np.sum((y - pls.coefficients_[:5] @ E.T) ** 2, axis=1) / noise_variance
    direct += 0.5 * np.sum(pls.coefficients_[:5] ** 2 / variances, axis=1)
    np.testing.assert_allclose(pls.potential(pls.coefficients_[:5]), direct, rtol=1e-7, atol=1e-6)


class TestEulerMaruyama:
    X, y = data(8, 30)
    given = pg.kernels.SquaredExponential(1.0, 1.0), np.array([[-1.0], [0.0], [1.0]])

    def run(self, share, **settings):
        """A run whose step is this share of the stability limit, the matrix A of its drift and the step."""
        short = sampler(*self.given, steps=1).fit(self.X, self.y)
        E = short.basis(self.X)
        A = E.T @ E / 0.1 + np.diag(1.0 / short.eigenvalues_)
        step_size = share * 2.0 / np.linalg.eigvalsh(A)[-1]
        pls = sampler(*self.given, integrator="euler-maruyama", step_size=step_size, **settings)
        return pls.fit(self.X, self.y), A, E, step_size

    def test_the_stability_limit_is_known_before_the_first_step(self):
        with pytest.warns(UserWarning, match="beyond the stability limit"):
            pls, A, _, step_size = self.run(1.05, steps=3)
        assert np.isclose(pls.info_["stability limit"], 2.0 / np.linalg.eigvalsh(A)[-1])

    def test_far_beyond_it_the_run_ends_with_a_sentence(self):
        with pytest.warns(UserWarning), pytest.raises(pg.Diverged, match="smaller step_size"):
            self.run(50.0, steps=3000)

    def test_the_default_step_keeps_the_bias_at_five_per_cent(self):
        pls = sampler(*self.given, integrator="euler-maruyama").fit(self.X, self.y)
        assert_law(pls.coefficients_, *gaussian_posterior(pls.basis(self.X), self.y, 0.1, pls.eigenvalues_), share=0.2)
        assert np.isclose(pls.step_size_, 0.05 * pls.info_["stability limit"])

    def test_a_stiff_basis_is_refused_with_the_number_of_steps(self):
        with pytest.raises(ValueError, match="steps to reach equilibrium"):
            sampler(pg.kernels.SquaredExponential(1.0, 1.0), 12, integrator="euler-maruyama").fit(self.X, self.y)


def test_time_is_the_thesiss_where_a_step_size_is_given():
    """The law of the Ornstein-Uhlenbeck process at time 0.03 from a fixed start, long before equilibrium."""
    X, y = data(9, 40)
    Z = np.array([[-1.5], [0.0], [1.5]])
    begin = np.tile([0.3, -0.2, 0.1], (PARTICLES, 1))
    pls = sampler(pg.kernels.SquaredExponential(0.5, 1.0), Z, steps=3, step_size=0.01, initial=begin).fit(X, y)
    E = pls.basis(X)
    A = E.T @ E / 0.1 + np.diag(1.0 / pls.eigenvalues_)
    rates, Q = np.linalg.eigh(A)
    end = np.linalg.solve(A, E.T @ y / 0.1)
    mean = end + Q @ (np.exp(-0.03 * rates) * (Q.T @ (begin[0] - end)))
    covariance = Q @ np.diag((1.0 - np.exp(-0.06 * rates)) / rates) @ Q.T
    assert_law(pls.coefficients_, mean, covariance)
    assert np.abs(mean - end).max() > 0.02  # and it is not yet the end


def test_the_exponential_step_is_exact_for_the_linear_part():
    rate = np.array([1e-3, 0.5, 40.0, 1e9])
    mobility, reference = np.array([2.0, 1.0, 0.1, 1.0]), rate / [2.0, 1.0, 0.1, 1.0]
    for step_size in (1e-6, 0.1, 50.0):
        scheme = langevin.exponential_euler(step_size, mobility, reference, np.zeros(4))
        np.testing.assert_allclose(scheme.decay, np.exp(-rate * step_size), rtol=1e-12, atol=1e-15)
        variance = (1.0 - np.exp(-2.0 * rate * step_size)) / reference
        np.testing.assert_allclose(scheme.spread**2, variance, rtol=1e-7)
        # a constant force moves the mean to where it balances
        np.testing.assert_allclose(scheme.gain, (1.0 - scheme.decay) / reference, rtol=1e-7)


def test_the_log_ratio_of_a_move_and_the_way_back_is_the_formula():
    rng = np.random.default_rng(1)
    z, force, there, force_there = rng.normal(size=(4, 70, 3))
    scheme, ratio = langevin.Scheme(*rng.uniform(0.5, 1.0, (4, 3))), np.empty(70)
    log_ratios(z, force, there, force_there, *scheme, ratio)
    back = scheme.decay * there - scheme.gain * (force_there + scheme.leftover * there)
    forth = scheme.decay * z - scheme.gain * (force + scheme.leftover * z)
    expected = np.sum(((there - forth) ** 2 - (z - back) ** 2) / (2.0 * scheme.spread**2), axis=1)
    np.testing.assert_allclose(ratio, expected, rtol=1e-10)


@pytest.mark.thorough
def test_a_default_run_takes_few_steps_on_a_stiff_basis():
    X = np.random.default_rng(2).uniform(-2.0, 2.0, (500, 1))
    y = (X[:, 0] > 0.3).astype(float)
    pls = ProjectedLangevinSampler(pg.kernels.SquaredExponential(1.0, 1.0), likelihoods.Bernoulli(), 12).fit(X, y)
    assert pls.eigenvalues_[-1] < 1e-8
    assert pls.steps_ < 2000
    assert pls.info_["equilibrium"]["reached"]
