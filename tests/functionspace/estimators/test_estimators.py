"""The estimators are scikit-learn's: its own checks, pipelines, grid searches; and they say what the sampler says."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from particlegvi.functionspace import (
    ExactGaussianProcess,
    GaussianWassersteinRegressor,
    ProjectedLangevinClassifier,
    ProjectedLangevinPoissonRegressor,
    ProjectedLangevinRegressor,
    SparseGaussianProcessClassifier,
    SparseGaussianProcessRegressor,
)
from particlegvi.networks import EnsembleClassifier, EnsembleRegressor

from ...refusals import refuse, refused

POINTS = {"fit_kernel": False, "inducing_points": 20}
SAMPLED = {"fit_kernel": False, "inducing_points": 30, "particles": 20, "random_state": 0, "steps": 20}
NETWORKS = {"hidden": (10,), "particles": 4, "steps": 200, "random_state": 0}
CHECKED = {  # with what makes the checks take seconds
    ProjectedLangevinRegressor: SAMPLED,
    ProjectedLangevinClassifier: {**SAMPLED, "inducing_points": 5, "particles": 8},
    ProjectedLangevinPoissonRegressor: {**SAMPLED, "inducing_points": 8},  # its steps are the dearest
    SparseGaussianProcessRegressor: POINTS,
    SparseGaussianProcessClassifier: {**POINTS, "inducing_points": 5},
    GaussianWassersteinRegressor: {**POINTS, "mean": "inducing"},
    EnsembleRegressor: NETWORKS,
    EnsembleClassifier: NETWORKS,
}
LIGHT = {"fit_kernel": False, "inducing_points": 30, "particles": 20, "random_state": 0}


@pytest.fixture
def wave():
    """Inputs in units far apart, and a function of the first alone."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, size=(120, 2)) * [1.0, 1000.0]
    return X, np.sin(2.0 * X[:, 0]), rng


@pytest.mark.parametrize(
    "estimator",
    [pytest.param(each, marks=pytest.mark.slow) if CHECKED[each] is NETWORKS else each for each in CHECKED],
)
@pytest.mark.sample("ProjectedLangevinRegressor")
@pytest.mark.often("SparseGaussianProcessClassifier")
def test_the_checks_of_scikit_learn(estimator):
    results = check_estimator(estimator(**CHECKED[estimator]), on_fail=None, on_skip=None)
    failed = [(result["check_name"], result["exception"]) for result in results if result["status"] == "failed"]
    assert not failed
    assert sum(result["status"] == "passed" for result in results) > 40


def test_a_regression_finds_the_function_and_its_noise(wave):
    X, f, rng = wave
    y = 30.0 + 5.0 * f + 0.5 * rng.normal(size=120)
    model = ProjectedLangevinRegressor(random_state=0).fit(X, y)
    mean, sd = model.predict(X, return_std=True)
    assert np.sqrt(np.mean((mean - 30.0 - 5.0 * f) ** 2)) < 0.25
    # The noise variance from 120 rows less the about 13 that the function takes: within 4 standard errors.
    noise = model.noise_variance_ * model.target_scale_**2
    assert abs(noise / 0.25 - 1.0) < 4.0 * np.sqrt(2.0 / 107.0)
    assert (sd**2 > noise).all()
    functions = model.sample_functions(X)
    assert functions.shape == (100, 120)
    error = functions.std(axis=0).max() / np.sqrt(100.0)
    assert np.abs(functions.mean(axis=0) - mean).max() < 5.0 * error
    # the second input says nothing, and its lengthscale shows it
    assert model.kernel_.lengthscale[1] > 10.0 * model.kernel_.lengthscale[0]


def test_standardising_is_what_makes_units_harmless(wave):
    X, f, _ = wave
    units, money = np.array([2.0**-10, 2.0**13]), 2.0**10  # powers of two, so that no rounding differs
    mean = ProjectedLangevinRegressor(**LIGHT).fit(X, f).predict(X)
    stretched = ProjectedLangevinRegressor(**LIGHT).fit(units * X, money * f).predict(units * X)
    np.testing.assert_array_equal(stretched, money * mean)
    raw = ProjectedLangevinRegressor(**LIGHT, standardise=False).fit(X, f).score(X, f)
    assert raw < 0.5 < 0.9 < ProjectedLangevinRegressor(**LIGHT).fit(X, f).score(X, f)


@pytest.mark.parametrize("level", [0.1, 1e6 + 0.1])
def test_a_target_that_is_constant_but_for_rounding_is_not_known_to_rounding(level):
    X, y = np.linspace(0.0, 1.0, 90)[:, None], np.full(90, level)
    assert y.std() > 0.0  # else the case would be another one
    zero = ProjectedLangevinRegressor(**LIGHT).fit(X, np.zeros(90)).predict(X, return_std=True)
    mean, sd = ProjectedLangevinRegressor(**LIGHT).fit(X, y).predict(X, return_std=True)
    np.testing.assert_allclose(mean - level, zero[0], atol=1e-9 * level)
    np.testing.assert_allclose(sd, zero[1], rtol=1e-6)


def test_a_classification_of_words_is_probable_where_it_should_be(wave):
    X, f, rng = wave
    chance = 1.0 / (1.0 + np.exp(-4.0 * f))
    y = np.where(rng.random(120) < chance, "yes", "no")
    model = ProjectedLangevinClassifier(random_state=0).fit(X[:, :1], y)
    assert model.classes_.tolist() == ["no", "yes"]
    probability = model.predict_proba(X[:, :1])
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    assert np.mean(np.abs(probability[:, 1] - chance)) < 0.4 * np.mean(np.abs(chance - chance.mean()))
    assert set(model.predict(X[:, :1])) == {"no", "yes"}
    assert np.mean((model.predict(X[:, :1]) == "yes") == (chance > 0.5)) > 0.9


@pytest.mark.thorough
def test_three_classes_of_words_have_a_function_each(rng):
    places = {"north": (0.0, 2.0), "east": (2.0, 0.0), "west": (-1.5, -1.0)}
    X = np.concatenate([place + 0.5 * rng.normal(size=(25, 2)) for place in places.values()])
    y, few = np.repeat(list(places), 25), {"inducing_points": 12, "random_state": 0}
    model = SparseGaussianProcessClassifier(**few).fit(X, y)
    assert model.classes_.tolist() == ["east", "north", "west"] and model.score(X, y) > 0.95
    likely = model.predict_proba([*places.values(), (40.0, 40.0)])
    np.testing.assert_allclose(likely.sum(axis=1), 1.0, atol=1e-9)
    assert np.all(likely[[0, 1, 2], [1, 0, 2]] > 0.8) and likely[3].max() < 0.5
    functions = model.sample_functions(X)
    assert functions.shape == (100, 75, 3)
    assert np.mean(functions.argmax(axis=2) == np.searchsorted(model.classes_, y)) > 0.8
    two = SparseGaussianProcessClassifier(**few).fit(X[:50], y[:50])
    assert two.sample_functions(X).shape == (100, 75)


def test_with_all_rows_a_regression_is_the_exact_process(rng):
    X = rng.uniform(-3.0, 3.0, (80, 1))
    y = 50.0 + 4.0 * np.sin(X[:, 0]) + 0.4 * rng.standard_normal(80)
    model = SparseGaussianProcessRegressor(random_state=0).fit(X, y)
    exact = ExactGaussianProcess(model.kernel_, model.noise_variance_).fit(
        (X - model.input_mean_) / model.input_scale_, (y - model.target_mean_) / model.target_scale_
    )
    look = np.linspace(-4.0, 4.0, 9)[:, None]
    mean, sd = exact.predict((look - model.input_mean_) / model.input_scale_, return_std=True)
    mean, sd = model.target_mean_ + model.target_scale_ * mean, model.target_scale_ * sd
    found, spread = model.predict(look, return_std=True)
    assert np.allclose(found, mean, rtol=1e-6)
    assert np.allclose(spread**2, sd**2 + model.noise_variance_ * model.target_scale_**2, rtol=2e-5)
    assert abs(np.sqrt(model.noise_variance_) * model.target_scale_ / 0.4 - 1.0) < 4.0 / np.sqrt(2.0 * 70.0)
    assert model.certify().kl < 1e-6
    functions = model.sample_functions(look, 4000)
    assert functions.shape == (4000, 9) and np.array_equal(functions, model.sample_functions(look, 4000))
    assert np.all(np.abs(functions.mean(axis=0) - mean) < 4.5 * sd / np.sqrt(4000))
    assert np.all(np.abs(functions.std(axis=0) / sd - 1.0) < 4.5 / np.sqrt(8000))
    refuse(lambda: model.sample_functions(look, 0), "draws must be a whole number")


@pytest.mark.parametrize("mean", ["network", "inducing"])
@pytest.mark.thorough
def test_intervals_hold_new_observations(mean, rng):
    X = rng.uniform(-3.0, 3.0, (400, 1))
    y = 20.0 + 3.0 * np.sin(2.0 * X[:, 0]) + 0.5 * rng.standard_normal(400)
    model = GaussianWassersteinRegressor(mean=mean, inducing_points=25, random_state=2).fit(X[:300], y[:300])
    found, sd = model.predict(X[300:], return_std=True)
    assert np.sqrt(np.mean((found - y[300:]) ** 2)) < 0.75
    inside = np.mean(np.abs(found - y[300:]) < 1.645 * sd)
    assert 0.7 < inside <= 1.0  # 30 validation rows decide about the width
    assert model.sample_functions(X[:4], draws=7).shape == (7, 4)
    assert np.array_equal(found, model.predict(X[300:]))


def test_counts_have_the_lognormal_of_each_particle(rng):
    """Where the basis leaves a residual, the rate of a particle is lognormal: both moments in closed form."""
    inputs = rng.uniform(-2.0, 2.0, (30, 1))
    settings = {"fit_kernel": False, "inducing_points": 3, "particles": 1000, "random_state": 0}
    counts = rng.poisson(np.exp(inputs[:, 0]))
    model = ProjectedLangevinPoissonRegressor(**settings).fit(inputs, counts)
    assert model.exposure_ == pytest.approx(counts.mean()) and model.score(inputs, counts) <= 1.0
    new = np.linspace(-4.0, 4.0, 9)[:, None]
    parts = model.sampler_.marginals((new - model.input_mean_) / model.input_scale_)
    centres, variances = model.exposure_ * np.exp(parts.centres), parts.variances
    mean = (centres * np.exp(0.5 * variances)).mean(axis=0)
    spread = (centres**2 * np.exp(2.0 * variances)).mean(axis=0) - mean**2
    found, sd = model.predict(new, return_std=True)
    assert variances.max() > 0.1
    np.testing.assert_allclose(found, mean, rtol=1e-9)
    np.testing.assert_allclose(sd**2, mean + spread, rtol=1e-9)  # with the noise of a count
    rates = model.sample_functions(new)
    assert rates.shape == (1000, 9) and np.all(np.abs(rates.mean(axis=0) - mean) < 5.0 * np.sqrt(spread / 1000))
    rows = model.sample_functions(np.repeat(new[:1], 2, axis=0))
    assert np.allclose(rows[:, 0], rows[:, 1], rtol=1e-4)  # functions, not noise


@pytest.mark.parametrize("estimator", [SparseGaussianProcessRegressor, ProjectedLangevinPoissonRegressor])
def test_weights_of_rows_belong_to_the_score_and_a_fit_refuses_them(estimator):
    X, y, weights = np.arange(12.0)[:, None], np.arange(12.0) % 5.0, np.arange(12)
    model = estimator(**CHECKED[estimator]).fit(X, y)
    repeated = model.score(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert model.score(X, y, sample_weight=weights) == pytest.approx(repeated) != pytest.approx(model.score(X, y))
    with pytest.raises(TypeError, match="sample_weight"):
        model.fit(X, y, sample_weight=weights)


THREE = [[0.0], [1.0], [2.0]], [0.0, 1.0, 0.5]
test_what_cannot_be_fitted_is_refused = refused(
    lambda estimator, given, X, y: estimator(**given).fit(X, y),
    *(
        (estimator, LIGHT, [[0.0], [1.0], [2.0], [3.0]], y, words)
        for estimator, y, words in (
            (ProjectedLangevinClassifier, [1, 1, 1, 1], "one class"),
            (ProjectedLangevinClassifier, [1, 2, 3, 1], "y must hold two classes, not 3"),
            (ProjectedLangevinPoissonRegressor, [1.0, -1.0, 0.0, 2.0], "y must be numbers of at least 0, not -1"),
            (ProjectedLangevinPoissonRegressor, [0, 0, 0, 0], "0 in every row"),
        )
    ),
    (SparseGaussianProcessRegressor, {"inducing_points": 0}, *THREE, "inducing_points must be"),
    (SparseGaussianProcessRegressor, {"placement": "best"}, *THREE, "best"),
    (SparseGaussianProcessRegressor, {"fit_kernel": 1}, *THREE, "fit_kernel must be"),
    (GaussianWassersteinRegressor, {"placement": "elob"}, *THREE, 'there is no selection "elob"; did you mean "elbo"'),
    (GaussianWassersteinRegressor, {"inducing_points": 0}, *THREE, "inducing_points must be"),
)
