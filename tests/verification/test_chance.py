"""The distances against scipy's, and the bounds against the laws that they come from."""

import numpy as np
import pytest
from scipy import integrate, stats

import particlegvi as pg
from particlegvi.engine.terms.evaluate import values
from particlegvi.functionspace import ExactGaussianProcess
from particlegvi.functionspace.basis import Nystroem
from particlegvi.priors import embedding
from particlegvi.verification import chance, problems
from particlegvi.verification.claims import coefficients, whole_process


def test_distances_are_those_of_scipy():
    random = np.random.default_rng(0)
    a, b = random.normal(size=301), np.round(random.normal(size=200), 1)
    assert chance.ks_between(a, b) == pytest.approx(stats.ks_2samp(a, b).statistic, abs=1e-14)
    assert chance.ks_to_cdf(a, stats.norm.cdf) == pytest.approx(stats.kstest(a, "norm").statistic, abs=1e-14)


@pytest.mark.parametrize("looks", [1, 5])
def test_the_kolmogorov_smirnov_bound_is_exceeded_once_in_a_thousand(looks):
    """Massart's inequality is sharp for many draws: the true probability is at most the allowed one, and near it."""
    n = 10_000
    probability = looks * stats.kstwo.sf(chance.kolmogorov_smirnov(n, looks), n)
    assert 0.9e-3 < probability <= 1e-3


def test_students_bound():
    assert chance.student(24, looks=10) == pytest.approx(stats.t.ppf(1.0 - 0.5e-4, 23))
    assert chance.student(10_000) == chance.ERRORS  # never less than four


def test_the_w1_bound_lies_above_exact_draws_and_not_far():
    target = problems.target(problems.DLE)
    bound = chance.w1(target, 100)
    random = np.random.default_rng(1)
    from particlegvi.diagnostics import wasserstein1

    distances = [wasserstein1(target.quantile(random.random(100)), target) for _ in range(100)]
    assert np.max(distances) < 1.2 * bound and np.median(distances) < 0.6 * bound
    assert np.max(distances) > 0.5 * bound


def test_the_largest_correlation_is_found_and_chance_stays_below_four_errors():
    draws = np.random.default_rng(2).normal(size=(2500, 5))
    assert chance.largest_correlation(draws) < chance.ERRORS
    draws[:, 3] = 0.2 * draws[:, 1] + np.sqrt(1.0 - 0.04) * draws[:, 3]
    assert chance.largest_correlation(draws) == pytest.approx(0.2 * 50.0, abs=4.0)


def test_seeds_differ_and_repeat():
    seeds = chance.seeds(2**64 - 1, 50)
    assert len(set(seeds)) == 50 and seeds == chance.seeds(2**64 - 1, 50)
    assert all(0 <= seed < 2**64 for seed in seeds)


T = np.linspace(-4.0, 4.0, 41)


def test_loss_embedding_and_potential():
    np.testing.assert_allclose(problems.loss(T), problems.LOSS.value(T[:, None]), atol=1e-12)
    mean = values(embedding(problems.PRIOR, problems.KERNEL).term, T[:, None])
    np.testing.assert_allclose(problems.embedding(T), mean, atol=1e-15)
    method = problems.STRONG
    by_parts = problems.LOSS.value(T[:, None]) - 2.0 * 1.0 * mean - 0.5 * problems.PRIOR.log_density(T[:, None])
    gap = problems.potential(T, method) - by_parts
    np.testing.assert_allclose(gap, gap[0], atol=1e-12)


def test_formulas_are_the_same_functions():
    for formula, function in (
        (problems.LOSS_FORMULA, problems.loss),
        (problems.EMBEDDING_FORMULA, problems.embedding),
    ):
        written = pg.Loss.from_formula(formula, variables=["t"]).value(T[:, None])
        np.testing.assert_allclose(written, function(T), atol=1e-12)


def test_the_swapped_loss_turns_v_into_the_printed_one():
    """loss' - lambda1 mu_P - lambda2 log p = loss - lambda1 log p - lambda2 mu_P, with lambda1 = 2, lambda2 = 0.5."""
    changed = problems.swapped(problems.STRONG).value(T[:, None])
    flown = changed - 2.0 * problems.embedding(T) + 0.5 * 0.5 * T**2
    printed = problems.loss(T) + 2.0 * 0.5 * T**2 - 0.5 * problems.embedding(T)
    np.testing.assert_allclose(flown, printed, atol=1e-12)


def test_the_law_of_eulers_step_is_stationary_and_the_features_are_the_basis():
    E, A = coefficients.posterior()
    engine = Nystroem(coefficients.KERNEL, coefficients.Z).features(coefficients.X)
    np.testing.assert_allclose(E, engine, atol=1e-12)
    h = coefficients.SHARE * 2.0 / np.linalg.eigvalsh(A)[-1]
    step = np.eye(3) - h * A
    law = np.linalg.inv(A @ (np.eye(3) - 0.5 * h * A))
    np.testing.assert_allclose(step @ law @ step.T + 2.0 * h * np.eye(3), law, atol=1e-12)


def test_the_exact_process_is_rasmussens():
    gp = ExactGaussianProcess(pg.kernels.SquaredExponential(whole_process.LENGTHSCALE), whole_process.NOISE)
    gp.fit(whole_process.X, whole_process.Y)
    mean, covariance = whole_process.conditioned(whole_process.NEW)
    np.testing.assert_allclose(mean, gp.predict(whole_process.NEW), atol=1e-10)
    np.testing.assert_allclose(covariance, gp.posterior_covariance(whole_process.NEW), atol=1e-10)


def test_the_weights_of_the_signs():
    inverse = np.linalg.inv(coefficients.kernel_matrix())
    counts = [coefficients.COUNTS[:4], coefficients.COUNTS[4:]]

    def density(b, a):
        prior = 0.5 * np.array([a, b]) @ inverse @ np.array([a, b])
        rates = sum(len(c) * f * f - c.sum() * np.log(f * f) for f, c in zip((a, b), counts, strict=True))
        return np.exp(-prior - rates - 20.0)

    mass = [integrate.dblquad(density, 0.5, 5.0, *ends, epsrel=1e-8)[0] for ends in ((0.5, 5.0), (-5.0, -0.5))]
    expected = 0.5 * np.array([mass[0], mass[1], mass[1], mass[0]]) / sum(mass)
    np.testing.assert_allclose(coefficients.weights(), expected, atol=1e-6)
    basis = Nystroem(coefficients.WIDE, coefficients.POINTS)
    start = coefficients.positive_start(3) @ basis.features(coefficients.POINTS).T
    np.testing.assert_allclose(start, np.sqrt(5.0), rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["coefficient-law", "coefficient-law-euler", "exact-process", "gaussian-projection"])
def test_false_alarms_are_rare(name):
    """At most 2 of 200 seeds, where a probability of 1e-3 gives more than that once in a thousand tests."""
    from particlegvi.verification import claims

    claim = claims.registry[name]()
    assert sum(not claim.experiment(seed, wrong=False).holds for seed in chance.seeds(5, 200)) <= 2
