"""Steps of halves leave the law invariant, whatever the scale, and a linear map maps them."""

import numpy as np
import pytest

from particlegvi.simulation.sampling import halves
from particlegvi.simulation.sampling.halves import Halves, StepSize, scale

from .posteriors import gaussian, linear_image, quartic, quartic_draws


def far_from_exact(ensembles, steps, rng, particles=4):
    """Kolmogorov-Smirnov distance of the particles of many small ensembles after some steps, times sqrt(number)."""
    law, final = quartic(), []
    for seed in range(ensembles):
        ensemble = Halves(law, quartic_draws(particles, rng), np.eye(1), seed)
        for number in range(steps):
            ensemble.step(number, adapting=False)
        final.append(ensemble.points[0, 0])  # one of each: those of one ensemble are dependent
    x = np.sort(np.abs(final)) ** 4 / 4.0
    from scipy.special import gammainc

    levels = gammainc(0.25, x)
    n = len(x)
    return np.sqrt(n) * max(np.max(np.arange(1, n + 1) / n - levels), np.max(levels - np.arange(n) / n))


def test_exact_draws_stay_exact_and_without_refusals_they_do_not(rng, monkeypatch):
    assert far_from_exact(150, 3, rng) < 1.95  # 0.999 quantile of the Kolmogorov distribution
    plain = halves.uniforms

    def accepting(*arguments):  # the control: every proposal is accepted
        chance = plain(*arguments)
        chance[:, 0] = 0.0
        return chance

    monkeypatch.setattr(halves, "uniforms", accepting)
    with np.errstate(divide="ignore"):
        assert far_from_exact(150, 3, rng) > 1.95


@pytest.mark.thorough
def test_a_half_must_not_scale_its_own_steps(rng):
    """Two particles a half on the line: their squared distance is 2 in the mean, and nearly 0 with their own scale."""

    class ScaledByItself(Halves):  # the control
        def others(self, rows):
            return self.points[rows]

    law, distances = gaussian(np.zeros(1), np.eye(1)), {}
    for kind in (Halves, ScaledByItself):
        ensemble, squares = kind(law, rng.standard_normal((4, 1)), 0.3 * np.eye(1), 5), []
        for number in range(1500):
            ensemble.step(number, adapting=False)
            squares.append((ensemble.points[0, 0] - ensemble.points[2, 0]) ** 2)
        batches = np.reshape(squares, (15, 100)).mean(axis=1)
        distances[kind] = batches.mean(), batches.std(ddof=1) / np.sqrt(15)
    mean, error = distances[Halves]
    assert error < 0.35 and abs(mean - 2.0) < 4.0 * error
    assert distances[ScaledByItself][0] < 2.0 - 4.0 * error


@pytest.mark.slow
def test_many_exact_draws_stay_exact(rng):
    assert far_from_exact(4000, 6, rng) < 1.95


def test_a_linear_map_maps_the_run(rng):
    matrix = rng.standard_normal((3, 3)) @ np.diag([1.0, 1e3, 1e-3])
    law = gaussian(np.zeros(3), np.diag([1.0, 2.0, 3.0]))
    start = rng.standard_normal((8, 3))
    one = Halves(law, start, np.eye(3), 5)
    # the root of the mapped covariance is the mapped root where it stays triangular
    triangular = np.tril(matrix) * np.sign(np.diag(matrix))
    two = Halves(linear_image(law, triangular), start @ triangular.T, triangular, 5)
    for number in range(20):
        one.step(number, adapting=True)
        two.step(number, adapting=True)
    assert np.allclose(one.points @ triangular.T, two.points, rtol=1e-6, atol=1e-9 * np.abs(two.points).max(axis=0))
    assert np.exp(one.step_size.now) == pytest.approx(np.exp(two.step_size.now), rel=1e-6)


def test_few_particles_take_the_known_scale(rng):
    known = np.diag([1.0, 10.0, 0.1, 1.0])
    points = rng.standard_normal((3, 4)) @ known
    assert np.linalg.matrix_rank(np.cov(points.T)) == 2
    root = scale(points, known)
    assert np.linalg.cond(np.linalg.solve(known, root)) < 10.0
    triangular = np.tril(rng.standard_normal((4, 4)), -1) + np.eye(4)
    assert np.allclose(scale(points @ triangular.T, triangular @ known), triangular @ root)
    many = rng.standard_normal((400, 2))
    root = scale(many, np.eye(2))
    assert np.allclose(root @ root.T, np.cov(many.T)) and root[0, 1] == 0.0


def test_the_step_size_goes_to_the_acceptance_rate(rng):
    """A made acceptance exp(-h): the average tends to h with exp(-h) = 0.574."""
    size = StepSize(1)
    for _ in range(3000):
        size.learn(float(np.clip(np.exp(-np.exp(size.now)) + 0.1 * rng.standard_normal(), 0.0, 1.0)))
    size.freeze()
    assert np.exp(size.now) == pytest.approx(-np.log(0.574), rel=0.1)


def test_short_steps_are_short_and_the_seed_decides(rng):
    law, start = quartic(), rng.standard_normal((40, 1))
    runs = []
    for seed in (1, 1, 2):
        ensemble = Halves(law, start, np.eye(1), seed)
        for number in range(3):
            ensemble.step(number, adapting=True)
        runs.append(ensemble.points)
    assert np.array_equal(runs[0], runs[1]) and not np.array_equal(runs[0], runs[2])
