"""Ensembles of networks behind scikit-learn's interface: mixtures against scipy, settings found from data, refusals."""

import numpy as np
import pytest
from scipy.stats import norm

from particlegvi import metrics
from particlegvi.networks import EnsembleClassifier, EnsembleRegressor
from particlegvi.networks.mixtures import noise_variance
from particlegvi.networks.training import Falling
from particlegvi.tools.errors import Diverged

from ..refusals import refuse

LIGHT = {"hidden": (10,), "particles": 4, "steps": 60, "random_state": 0}


@pytest.fixture(scope="module")
def wave():
    rng = np.random.default_rng(7)
    X = rng.uniform(-2.0, 2.0, (120, 1))
    return X, 40.0 + 5.0 * np.sin(2.0 * X[:, 0]) + 0.5 * rng.standard_normal(120)


@pytest.fixture(scope="module")
def fitted(wave):
    return EnsembleRegressor(particles=5, random_state=0).fit(*wave)


@pytest.fixture(scope="module")
def three():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((150, 2))
    return X, np.array(["a", "b", "c"])[np.argmax(X @ [[1.0, -1.0, 0.2], [0.3, 0.5, -1.0]], axis=1)]


@pytest.mark.slow
def test_a_regression_finds_the_function_and_its_noise(wave, fitted):
    X, _ = wave
    mean, sd = fitted.predict(X, return_std=True)
    assert np.sqrt(np.mean((mean - 40.0 - 5.0 * np.sin(2.0 * X[:, 0])) ** 2)) < 0.35
    assert 0.1 < fitted.noise_variance_ < 0.8 and np.all(sd >= np.sqrt(fitted.noise_variance_))  # the truth is 0.25
    assert fitted.rows_held_ == 12 and fitted.steps_ >= 1500 and fitted.step_size_ > 0.0 == fitted.kl_weight_


@pytest.mark.slow
def test_predictions_are_those_of_the_mixture(wave, fitted):
    X, y = wave
    functions, sd = fitted.sample_functions(X), np.sqrt(fitted.noise_variance_)
    assert functions.shape == (5, 120)
    mean, spread = fitted.predict(X, return_std=True)
    assert np.allclose(mean, functions.mean(axis=0)) and np.array_equal(mean, fitted.predict(X))
    assert np.allclose(spread**2, functions.var(axis=0) + sd**2)
    assert np.allclose(fitted.disagreement(X), functions.std(axis=0))
    density = np.mean(norm.pdf(y, functions, sd), axis=0)
    assert np.allclose(fitted.log_density(X, y), np.log(density), rtol=1e-10)
    assert np.isclose(-fitted.log_density(X, y).mean(), metrics.mixture_nll(y, functions, sd))
    levels = [0.05, 0.5, 0.95]
    quantiles = fitted.predict_quantiles(X, levels)
    assert quantiles.shape == (3, 120)
    below = np.mean(norm.cdf((quantiles[:, None] - functions) / sd), axis=1)
    assert np.allclose(below, np.array(levels)[:, None], atol=1e-9)


def test_the_noise_of_equal_members_is_their_error(rng):
    y, same = rng.standard_normal(50), np.zeros((3, 50))
    assert noise_variance(y, same) == pytest.approx(np.mean(y**2), rel=1e-5)
    apart = same + [[-1.0], [0.0], [1.0]]
    best = noise_variance(0.3 * y, apart)
    around = [metrics.mixture_nll(0.3 * y, apart, np.sqrt(best * factor)) for factor in (0.99, 1.0, 1.01)]
    assert min(around) == around[1]


@pytest.mark.parametrize("method", ["DE", "DLE", "DRE", "DRLE"])
@pytest.mark.thorough
@pytest.mark.often("D[EL]*")
def test_every_method_fits_numbers_and_labels(method, wave, three):
    model = EnsembleRegressor(method=method, **LIGHT).fit(*wave)
    again = EnsembleRegressor(method=method, **LIGHT).fit(*wave)
    assert np.array_equal(model.particles_, again.particles_)
    rows = 120 - model.rows_held_
    assert (model.kl_weight_ > 0.0) == (method in ("DLE", "DRLE"))
    given = EnsembleRegressor(method="DLE", noise_variance=0.25, **LIGHT).fit(*wave)
    assert given.kl_weight_ == pytest.approx(2.0 * 0.25 / given.target_scale_**2 / rows)
    assert given.noise_variance_ == pytest.approx(0.25)
    assert ("context" in model.facts_) == (method in ("DRE", "DRLE"))
    labels = EnsembleClassifier(method=method, **LIGHT).fit(*three)
    assert labels.predict_proba(three[0]).shape == (150, 3)
    assert labels.kl_weight_ == (1.0 / 135 if method in ("DLE", "DRLE") else 0.0)


def test_classes_are_learned_and_members_disagree_where_they_differ(three):
    X, y = three
    model = EnsembleClassifier(particles=4, hidden=(20,), random_state=1).fit(X, y)
    assert model.score(X, y) > 0.93 and set(model.predict(X)) <= {"a", "b", "c"}
    each = model.sample_probabilities(X)
    assert each.shape == (4, 150, 3) and np.allclose(each.sum(axis=-1), 1.0)
    mean = each.mean(axis=0)
    entropy = -(mean * np.log(mean)).sum(axis=-1) + np.mean((each * np.log(each)).sum(axis=-1), axis=0)
    assert np.allclose(model.disagreement(X), np.maximum(entropy, 0.0), atol=1e-12)
    alone = EnsembleClassifier(**{**LIGHT, "particles": 1}).fit(X, y == "a")
    assert np.allclose(alone.disagreement(X), 0.0, atol=1e-12) and alone.predict_proba(X).shape == (150, 2)


def test_a_falling_step_size_is_flat_and_then_a_line():
    sizes = Falling(0.2, 10.0, 5.0).at(np.array([0, 10, 11, 15, 30]))
    assert np.allclose(sizes, [0.2, 0.2, 0.164, 0.02, 0.02])


def test_a_step_size_that_is_too_large_is_said(wave):
    with pytest.raises(Diverged, match="step_size must be smaller, or left out to be found"):
        EnsembleRegressor(**LIGHT, step_size=50.0).fit(*wave)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"hidden": (0,)}, r"hidden\[0\] must be"),
        ({"activation": "rleu"}, "rleu"),
        ({"validation_fraction": 1.0}, "validation_fraction must be a number from 0 and below 1, not 1"),
        ({"method": "DRE", "context": [[1.0, 2.0]]}, "context must be"),
        ({"integrator": "adm"}, 'there is no integrator "adm"; did you mean "adam"?'),
        ({"integrator": "adam", "method": "DLE"}, 'not "adam": DLE has noise'),
    ],
)
def test_bad_settings_are_refused_in_a_sentence(given, sentence, wave):
    refuse(lambda: EnsembleRegressor(**{**LIGHT, **given}).fit(*wave), sentence)


@pytest.mark.slow
def test_bad_levels_and_one_class_are_refused(fitted, three):
    refuse(lambda: fitted.predict_quantiles([[0.0]], [0.0, 0.5]), "levels must be numbers above 0 and below 1")
    refuse(lambda: EnsembleClassifier(**LIGHT).fit(three[0], np.ones(150)), "one class alone")


@pytest.mark.thorough
def test_constant_targets_and_columns_do_no_harm():
    X = np.column_stack([np.linspace(0.0, 1.0, 30), np.ones(30)])
    model = EnsembleRegressor(**LIGHT).fit(X, np.full(30, 7.0))
    mean, sd = model.predict(X, return_std=True)
    assert np.all(np.isfinite(mean)) and np.all(np.isfinite(sd)) and np.all(np.abs(mean - 7.0) < 3.0)
