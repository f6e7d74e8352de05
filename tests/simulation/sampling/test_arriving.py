"""Whole runs: right where they say that they have arrived, and never arrived where the law is out of reach."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.simulation.sampling import start
from particlegvi.simulation.sampling.arriving import arrive
from particlegvi.simulation.sampling.posterior import PosteriorEnergy
from particlegvi.simulation.sampling.sample_settings import SampleSettings

from ...sources import script
from .posteriors import banana, funnel, gaussian, linear_image, posterior, two_modes


def far(run, mean, covariance):
    """The largest error of a mean and of a log standard deviation, in standard errors of as many exact draws."""
    final = run.positions[-1]
    n, sd = len(final), np.sqrt(np.diag(covariance))
    means = np.abs(final.mean(axis=0) - mean) / sd * np.sqrt(n)
    return means.max(), np.abs(np.log(final.std(axis=0) / sd)).max() * np.sqrt(2.0 * n)


@pytest.mark.parametrize(("particles", "laws"), [pytest.param(20, 6, marks=pytest.mark.slow), (200, 1)])
def test_a_badly_scaled_normal_law(particles, laws, rng):
    """Twenty particles are few for a scale of 1e6: most runs arrive, and all are right. The processor decides which."""
    arrived = 0
    for _ in range(laws):
        matrix = rng.standard_normal((5, 5)) @ np.diag([1.0, 1e3, 1e-3, 10.0, 0.1])
        mean, covariance = 100.0 * rng.standard_normal(5), matrix @ matrix.T
        run = arrive(gaussian(mean, covariance), SampleSettings(particles))
        arrived += run.verdict.arrived
        assert run.facts["gradients"] < 20_000
        assert max(far(run, mean, covariance)) < 4.5
    assert arrived >= (laws + 1) // 2


def test_the_seed_decides_every_byte():
    law = gaussian(np.zeros(2), np.eye(2))
    runs = [arrive(law, SampleSettings(40, seed)).positions for seed in (3, 3, 4)]
    assert np.array_equal(runs[0], runs[1]) and not np.array_equal(runs[0], runs[2])


@pytest.mark.thorough
def test_blas_has_one_thread():
    from threadpoolctl import threadpool_info

    law, threads = gaussian(np.zeros(2), np.eye(2)), set()
    value = law.loss.value

    def watched(points):
        threads.update(library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas")
        return value(points)

    law.loss.value = watched
    arrive(law, SampleSettings(20, steps=1))
    assert threads == {1}


@pytest.mark.thorough
def test_rates_of_covariates_in_raw_units_are_finite_only_near_the_middle(rng):
    """Counts with a log link and a covariate of size 100: between -2 and 2 the energy is up to 1e200."""
    x = np.column_stack([np.ones(150), rng.normal(0.0, 100.0, 150)])
    counts = rng.poisson(np.exp(x @ [1.0, -0.004]))
    loss = pg.Loss.from_numpy(
        lambda t: (np.exp(t @ x.T) - (t @ x.T) * counts).sum(axis=1), lambda t: (np.exp(t @ x.T) - counts) @ x, dim=2
    )
    run = arrive(PosteriorEnergy(loss, pg.priors.Flat(2), 1.0), SampleSettings(100))
    grid = np.stack(np.meshgrid(np.linspace(0.5, 1.4, 181), np.linspace(-0.008, 0.0, 161)), axis=-1).reshape(-1, 2)
    weight = np.exp(-loss.value(grid) + loss.value(grid).min())
    weight /= weight.sum()
    mean = weight @ grid
    assert run.verdict.arrived
    assert max(far(run, mean, (grid - mean).T @ ((grid - mean) * weight[:, None]))) < 4.5


@pytest.mark.parametrize("make", [funnel, banana, lambda: two_modes(2.5)], ids=["funnel", "banana", "two-modes"])
@pytest.mark.sample("banana", "two-modes")
def test_a_law_out_of_reach_has_not_arrived(make):
    run = arrive(make(), SampleSettings(200, steps=120))
    assert not run.verdict.arrived and run.verdict.reason


UNFOUND = (
    "a quarter in a narrow far mode",
    "40%, half as wide, 12 away",
    "20%, half as wide, 5 away",
)  # in docs/sample.md


@pytest.mark.slow
def test_of_no_law_a_wrong_run_has_arrived(root, monkeypatch):
    """Twenty seeds of each hard law; the mode to which nothing leads is the one that nobody can miss knowingly."""
    monkeypatch.syspath_prepend(root / "benchmarks")
    module = script(root / "benchmarks" / "hard_posteriors.py")
    for name, law in module.LAWS.items():
        counts, _ = module.verdicts(law, 20, 400)
        assert bool(counts["arrived, wrong"]) == (name in UNFOUND), name


@pytest.mark.thorough
@pytest.mark.parametrize("condition", [1e2, 1e6])
def test_images_of_a_law_have_its_verdict(condition, rng):
    law = gaussian(np.zeros(3), np.diag([1.0, 4.0, 9.0]))
    for _ in range(5):
        left, _, right = np.linalg.svd(rng.standard_normal((3, 3)))
        matrix = left @ np.diag(np.geomspace(1.0, condition, 3)) @ right
        run = arrive(linear_image(law, matrix), SampleSettings(200))
        assert run.verdict.arrived
        assert max(far(run, np.zeros(3), matrix @ np.diag([1.0, 4.0, 9.0]) @ matrix.T)) < 4.5


def test_a_density_that_is_nowhere_positive_is_refused():
    nowhere = posterior(2, lambda x: np.full(len(x), np.inf), np.zeros_like)
    with pytest.raises(ValueError, match="100 points"):
        arrive(nowhere, SampleSettings(20))


def test_a_gradient_that_is_no_number_where_the_density_is_ends_the_run():
    """A normal law whose gradient is nan beyond one sd: taken for infinite energy it would be a wall."""

    def law(edge):
        return posterior(1, lambda x: 0.5 * x[:, 0] ** 2, lambda x: np.where(x > edge, np.nan, x))

    with pytest.raises(ValueError, match="must be finite where particles may go, and it is nan in coordinate 1 at"):
        arrive(law(1.0), SampleSettings(50))
    assert arrive(law(30.0), SampleSettings(50)).verdict.arrived


def test_a_second_mode_is_found_from_afar():
    """Of seeds 0 to 19, four paths from points near 0 all go to one of two modes at seed 12."""
    law = two_modes(5.0)
    with one_blas_thread():
        found = start.find_start(law, 50, seed=12)
    share = np.mean(found.view.places(found.particles.place).sum(axis=1) > 0.0)
    assert 0.2 < share < 0.8  # 0 or 1 without paths from afar


def test_no_particle_starts_where_the_energy_is_a_wall(monkeypatch):
    """A long tail on one side, and exp(6 x) on the other: points that start twice as wide would be in the wall."""
    law = posterior(1, lambda x: np.exp(6.0 * x[:, 0]) - 0.2 * x[:, 0], lambda x: 6.0 * np.exp(6.0 * x) - 0.2)
    highest = []
    for steepest in (start.STEEPEST, 1e300):
        monkeypatch.setattr(start, "STEEPEST", steepest)
        with one_blas_thread():
            highest.append(start.find_start(law, 200, seed=0).particles.energy.max())
    assert highest[0] < 60.0 < 600.0 < highest[1]
