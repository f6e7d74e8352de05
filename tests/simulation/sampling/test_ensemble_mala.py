"""Steps of halves leave the law invariant, whatever the scale, and a linear map maps them."""

import numpy as np
import pytest
from scipy import stats

from particlegvi.simulation.sampling import ensemble_mala
from particlegvi.simulation.sampling.ensemble_mala import EnsembleMala, StepSize, scale
from particlegvi.simulation.sampling.posterior import EnergyPoints

from .posteriors import gaussian, linear_image, quartic, quartic_draws


def far_from_exact(ensembles, steps, rng, particles=4):
    """Kolmogorov-Smirnov distance of the particles of many small ensembles after some steps, times sqrt(number)."""
    law, final = quartic(), []
    for seed in range(ensembles):
        ensemble = EnsembleMala(law, EnergyPoints.at(law, quartic_draws(particles, rng)), seed)
        for number in range(steps):
            ensemble.step(number, adapting=False)
        final.append(ensemble.now.place[0, 0])  # one of each: those of one ensemble are dependent
    x = np.sort(np.abs(final)) ** 4 / 4.0
    from scipy.special import gammainc

    levels = gammainc(0.25, x)
    n = len(x)
    return np.sqrt(n) * max(np.max(np.arange(1, n + 1) / n - levels), np.max(levels - np.arange(n) / n))


@pytest.mark.thorough
def test_exact_draws_stay_exact_and_without_refusals_they_do_not(rng, monkeypatch):
    assert far_from_exact(150, 3, rng) < 1.95  # 0.999 quantile of the Kolmogorov distribution
    plain = ensemble_mala.uniforms

    def accepting(*arguments):  # the control: every proposal is accepted
        chance = plain(*arguments)
        chance[:, 0] = 0.0
        return chance

    monkeypatch.setattr(ensemble_mala, "uniforms", accepting)
    with np.errstate(divide="ignore"):
        assert far_from_exact(150, 3, rng) > 1.95


def test_a_momentum_that_stays_keeps_exact_draws_exact_where_a_refusal_reverses_it(rng):
    class GoesOn(EnsembleMala):  # the control
        def _move(self, rows, noise, chance):
            before = self.now.place[rows].copy()
            rate = super()._move(rows, noise, chance)
            self.momentum[rows] *= np.where(self.now.place[rows] == before, -1.0, 1.0)
            return rate

    law, number = quartic(), 20_000
    limit = stats.kstwobign.isf(1e-3) / np.sqrt(number)  # the law of the ensemble is a product: all are independent
    distances = []
    for kind in (GoesOn, EnsembleMala):
        ensemble = kind(law, EnergyPoints.at(law, quartic_draws(number, rng)), 5)
        ensemble.persistence = 0.9
        for step in range(8):
            ensemble.step(step, adapting=False)
        levels = stats.gamma(0.25, scale=4.0).cdf
        distances.append(stats.kstest(ensemble.now.place[:, 0] ** 4, levels).statistic)
    assert distances[1] < limit and distances[0] > 2.0 * limit
    before, ensemble.step_size.now, ensemble.persistence = ensemble.momentum.copy(), -20.0, 1.0
    ensemble.step(8, adapting=False)
    assert np.allclose(ensemble.momentum, before, atol=0.01)  # who is not refused goes on


@pytest.mark.slow
def test_a_half_must_not_scale_its_own_steps(rng):
    """Two particles a half on the line: their squared distance is 2 in the mean, and nearly 0 with their own scale."""

    class ScaledByItself(EnsembleMala):  # the control
        def others(self, rows):
            return self.now.place[rows]

    law, distances = gaussian(np.zeros(1), np.eye(1)), {}
    for kind in (EnsembleMala, ScaledByItself):
        ensemble, squares = kind(law, EnergyPoints.at(law, rng.standard_normal((4, 1))), 5), []
        for number in range(1500):
            ensemble.step(number, adapting=False)
            squares.append((ensemble.now.place[0, 0] - ensemble.now.place[2, 0]) ** 2)
        batches = np.reshape(squares, (15, 100)).mean(axis=1)
        distances[kind] = batches.mean(), batches.std(ddof=1) / np.sqrt(15)
    mean, error = distances[EnsembleMala]
    assert error < 0.35 and abs(mean - 2.0) < 4.0 * error
    assert distances[ScaledByItself][0] < 2.0 - 4.0 * error


@pytest.mark.slow
def test_many_exact_draws_stay_exact(rng):
    assert far_from_exact(4000, 6, rng) < 1.95


def test_a_linear_map_maps_the_run(rng):
    matrix = rng.standard_normal((3, 3)) @ np.diag([1.0, 1e3, 1e-3])
    law = gaussian(np.zeros(3), np.diag([1.0, 2.0, 3.0]))
    start = rng.standard_normal((64, 3))
    # the root of the mapped covariance is the mapped root where it stays triangular
    triangular = np.tril(matrix) * np.sign(np.diag(matrix))
    image = linear_image(law, triangular)
    one = EnsembleMala(law, EnergyPoints.at(law, start), 5)
    two = EnsembleMala(image, EnergyPoints.at(image, start @ triangular.T), 5)
    for number in range(20):
        one.step(number, adapting=True)
        two.step(number, adapting=True)
    expected = one.now.place @ triangular.T
    assert np.allclose(expected, two.now.place, rtol=1e-6, atol=1e-9 * np.abs(expected).max(axis=0))
    assert np.exp(one.step_size.now) == pytest.approx(np.exp(two.step_size.now), rel=1e-6)


def test_few_particles_lean_on_the_scale_of_the_start(rng):
    points = rng.standard_normal((3, 4))
    assert np.linalg.matrix_rank(np.cov(points.T)) == 2
    assert np.linalg.cond(scale(points)) < 10.0
    many = rng.standard_normal((400, 2)) @ np.diag([1.0, 10.0])
    root = scale(many)
    assert np.allclose(root @ root.T, np.cov(many.T)) and root[0, 1] == 0.0


def test_the_step_size_goes_to_the_acceptance_rate(rng):
    """A made acceptance exp(-h): the average tends to h with exp(-h) = 0.574."""
    size = StepSize(1, 0.574)
    for _ in range(3000):
        size.learn(float(np.clip(np.exp(-np.exp(size.now)) + 0.1 * rng.standard_normal(), 0.0, 1.0)))
    size.freeze()
    assert np.exp(size.now) == pytest.approx(-np.log(0.574), rel=0.1)


def test_short_steps_are_short_and_the_seed_decides(rng):
    law, start = quartic(), rng.standard_normal((40, 1))
    runs = []
    for seed in (1, 1, 2):
        ensemble = EnsembleMala(law, EnergyPoints.at(law, start), seed)
        for number in range(3):
            ensemble.step(number, adapting=True)
        runs.append(ensemble.now.place)
    assert np.array_equal(runs[0], runs[1]) and not np.array_equal(runs[0], runs[2])
