"""Entropies against scipy's closed forms and a plain loop, within standard errors from the estimators' variances."""

import warnings

import numpy as np
import pytest
from scipy import signal, stats
from scipy.special import digamma

import particlegvi as pg
from particlegvi import diagnostics
from particlegvi.diagnostics import effective_sample_size, potential_scale_reduction
from particlegvi.diagnostics.free_energy import nearest_neighbours, spacings

from ..refusals import refuse


def neighbours(x):
    return nearest_neighbours(np.reshape(x, (len(x), -1)))


LAWS = {
    "normal": stats.norm(3.0, 2.0), "exponential": stats.expon(0.0, 0.5), "student": stats.t(5),
    "laplace": stats.laplace(-1.0, 3.0), "uniform": stats.uniform(2.0, 1e-3),
}  # fmt: skip


def mean_and_error(estimates):
    return np.mean(estimates), np.std(estimates, ddof=1) / np.sqrt(len(estimates))


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("estimator", [spacings, neighbours])
def test_the_entropy_of_known_laws(name, estimator):
    """Without bias to a quarter of one sample's standard deviation, in the mean of 100 samples of 1000 draws."""
    law = LAWS[name]
    draws = law.rvs(size=(100, 1000), random_state=np.random.default_rng(0))
    estimates = [estimator(x) for x in draws]
    mean, error = mean_and_error(estimates)
    assert abs(mean - law.entropy()) < 4.0 * error + 0.25 * np.std(estimates)
    assert np.std(estimates) < 0.06
    doubled = np.mean([estimator(2.0 * x) for x in draws[:20]])  # negative control: log 2 more
    assert abs(doubled - law.entropy()) > 4.0 * error + 0.25 * np.std(estimates)


def test_nearest_neighbours_by_a_plain_loop():
    x = np.random.default_rng(5).normal(size=(40, 2))
    distances = np.sort(np.linalg.norm(x[:, None] - x, axis=2), axis=1)[:, 3]
    exact = digamma(40) - digamma(3) + np.log(np.pi) + 2.0 * np.mean(np.log(distances))
    assert neighbours(x) == pytest.approx(exact, rel=1e-12)
    assert diagnostics.entropy(x)[1] == "nearest neighbours"


def test_spacings_by_a_plain_loop():
    x = np.random.default_rng(6).normal(size=9)
    ordered, total = sorted(x), 0.0
    for i in range(9):
        low, high = max(i - 3, 0), min(i + 3, 8)
        total += np.log(ordered[high] - ordered[low]) - digamma(high - low)
    assert spacings(x) == pytest.approx(total / 9 + digamma(10), rel=1e-12)
    assert diagnostics.entropy(x)[1] == "spacings"


def test_atoms_have_no_entropy():
    assert spacings(np.repeat([1.0, 2.0], 10)) == -np.inf
    assert neighbours(np.repeat([[1.0, 2.0], [3.0, 4.0]], 10, axis=0)) == -np.inf


def test_one_particle_has_no_entropy():
    refuse(lambda: diagnostics.entropy([1.0]), "particles")


def autoregression(chains, draws, memory, seed=0):
    noise = np.sqrt(1.0 - memory**2) * np.random.default_rng(seed).normal(size=(chains, draws))
    noise[:, 0] /= np.sqrt(1.0 - memory**2)  # at rest from the start
    return signal.lfilter([1.0], [1.0, -memory], noise)


SHAPES = [(4, 100, 0.5), (4, 101, 0.9), (100, 50, 0.3), (3, 9, -0.5), (2, 30, 0.0), (2, 8, 0.9), (5, 200, -0.7)]


@pytest.mark.needs("arviz")
@pytest.mark.parametrize(("chains", "draws", "memory"), SHAPES)
def test_both_are_arvizs(chains, draws, memory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import arviz
    x = np.round(autoregression(chains, draws, memory), 2)  # with ties
    x[0] += 0.5
    assert potential_scale_reduction(x) == pytest.approx(float(arviz.rhat(x, method="rank")), rel=1e-10)
    assert effective_sample_size(x) == pytest.approx(float(arviz.ess(x, method="bulk")), rel=1e-10)


@pytest.mark.slow
def test_the_effective_sample_size_of_a_run_has_its_particles_as_chains():
    """The wrong orientation, which an array of records and particles has, is the control."""
    prior, method = pg.priors.Normal([0.0, 0.0], [1.0, 3.0]), pg.methods.DLE(1.0)
    run = pg.simulate(pg.Loss.from_formula("0*x + 0*y", ["x", "y"]), method, prior, 20, 2000, 0.01, record_every=10)
    each = [effective_sample_size(run.positions[:, :, i].T) for i in range(2)]
    assert effective_sample_size(run) == min(each) == each[1] < 1000.0 < effective_sample_size(run.positions[:, :, 1])


def test_the_effective_sample_size_of_an_autoregression():
    """n (1 - a)/(1 + a); antithetic chains have more than n."""
    for memory in (0.0, 0.6, -0.4):
        found = effective_sample_size(autoregression(20, 2000, memory))
        assert found == pytest.approx(40_000 * (1 - memory) / (1 + memory), rel=0.1)


def test_chains_that_disagree_in_place_or_in_spread_are_seen():
    x = autoregression(8, 400, 0.3)
    assert potential_scale_reduction(x) < 1.01
    moved, wider = x.copy(), x.copy()
    moved[0] += 1.0
    wider[0] *= 3.0
    assert potential_scale_reduction(moved) > 1.02
    assert potential_scale_reduction(wider) > 1.02
    assert effective_sample_size(np.arange(8)[:, None] + 1e-3 * x) < 20


def test_constants_and_bad_shapes():
    assert np.isnan(potential_scale_reduction(np.ones((3, 10))))
    assert np.isnan(effective_sample_size(np.ones((3, 10))))
    for bad in (np.zeros((3, 3)), np.zeros(10), np.full((2, 8), np.nan)):
        with pytest.raises(ValueError, match="draws must be .*, not (an array of the shape|NaN or infinity)"):
            potential_scale_reduction(bad)
        with pytest.raises(ValueError, match="draws must be .*, not (an array of the shape|NaN or infinity)"):
            effective_sample_size(bad)


def test_chains_that_stay_where_they_are_have_no_effective_sample_size():
    values = np.arange(5.0)[:, None]
    constant = np.repeat(values, 40, axis=1)
    assert np.isnan(effective_sample_size(constant))
    slow = constant + 1e-3 * np.random.default_rng(0).normal(size=constant.shape)
    assert np.isfinite(effective_sample_size(slow))  # control
