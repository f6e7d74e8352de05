"""R-hat and effective sample size against ArviZ, and against what is known of autoregressions."""

import warnings

import numpy as np
import pytest

from particlegvi.diagnostics import effective_sample_size, potential_scale_reduction


def autoregression(chains, draws, memory, seed=0):
    random = np.random.default_rng(seed)
    x = np.empty((chains, draws))
    x[:, 0] = random.normal(size=chains)
    for i in range(1, draws):
        x[:, i] = memory * x[:, i - 1] + np.sqrt(1.0 - memory**2) * random.normal(size=chains)
    return x


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
