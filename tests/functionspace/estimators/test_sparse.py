"""Sparse Gaussian processes as estimators: the checks of scikit-learn, and the models behind them."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import check_estimator

from particlegvi.functionspace import (
    ExactGaussianProcess,
    SparseGaussianProcessClassifier,
    SparseGaussianProcessRegressor,
)


@pytest.mark.parametrize("estimator", [SparseGaussianProcessRegressor, SparseGaussianProcessClassifier])
def test_the_checks_of_scikit_learn(estimator):
    results = check_estimator(estimator(fit_kernel=False, inducing_points=20), on_fail=None, on_skip=None)
    failed = [(result["check_name"], result["exception"]) for result in results if result["status"] == "failed"]
    assert not failed
    assert sum(result["status"] == "passed" for result in results) > 40


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [SparseGaussianProcessRegressor, SparseGaussianProcessClassifier])
def test_the_checks_of_scikit_learn_with_hyperparameters_found(estimator):
    results = check_estimator(estimator(random_state=0), on_fail=None, on_skip=None)
    assert not [result["check_name"] for result in results if result["status"] == "failed"]


def test_with_all_rows_a_regression_is_the_exact_process(rng):
    X = rng.uniform(-3.0, 3.0, (80, 1))
    y = 50.0 + 4.0 * np.sin(X[:, 0]) + 0.4 * rng.standard_normal(80)
    model = SparseGaussianProcessRegressor(random_state=0).fit(X, y)
    exact = ExactGaussianProcess(model.kernel_, model.noise_variance_).fit(
        (X - model.input_mean_) / model.input_scale_, (y - model.target_mean_) / model.target_scale_
    )
    look = np.linspace(-4.0, 4.0, 9)[:, None]
    mean, sd = exact.predict((look - model.input_mean_) / model.input_scale_, return_std=True)
    found, spread = model.predict(look, return_std=True)
    assert np.allclose(found, model.target_mean_ + model.target_scale_ * mean, rtol=1e-6)
    assert np.allclose(spread, model.target_scale_ * np.sqrt(sd**2 + model.noise_variance_), rtol=1e-5)
    assert abs(np.sqrt(model.noise_variance_) * model.target_scale_ / 0.4 - 1.0) < 4.0 / np.sqrt(2.0 * 70.0)
    assert model.certify().kl < 1e-6


def test_enough_points_are_found_and_placed(rng):
    X = rng.uniform(-3.0, 3.0, (300, 1))
    y = np.sin(3.0 * X[:, 0]) + 0.3 * rng.standard_normal(300)
    model = SparseGaussianProcessRegressor(inducing_points="auto", certified_gap=0.05, random_state=0).fit(X, y)
    assert model.certify().kl <= 0.05 and model.model_.facts["stopped"] == "certified_gap"
    search = GridSearchCV(
        SparseGaussianProcessRegressor(fit_kernel=False, random_state=0),
        {"inducing_points": [3, 12], "placement": ["greedy", "elbo"]}, cv=2,
    )  # fmt: skip
    assert search.fit(X, y).best_params_["inducing_points"] == 12


def test_classes_are_learned(rng):
    X = rng.standard_normal((150, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0.0, "same", "other")
    model = SparseGaussianProcessClassifier(random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9 and list(model.classes_) == ["other", "same"]
    likely = model.predict_proba([[2.0, 2.0], [2.0, -2.0], [100.0, 100.0]])
    assert likely[0, 1] > 0.9 > 0.1 > likely[1, 1] and abs(likely[2, 1] - 0.5) < 0.05


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"inducing_points": 0}, "inducing_points must be"),
        ({"inducing_points": "many"}, "inducing_points must be"),
        ({"placement": "best"}, "best"),
        ({"noise_variance": 0.0}, "noise_variance must be"),
        ({"fit_kernel": 1}, "fit_kernel must be"),
    ],
)
def test_bad_settings_are_refused(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        SparseGaussianProcessRegressor(**given).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.5])


@pytest.mark.thorough
def test_hyperparameters_by_the_bound_come_from_two_starts(rng):
    """They are better than the evidence of too few rows allows, and the points go on from where that search ended."""
    X = rng.uniform(-2.0, 2.0, (150, 2))
    y = 3.0 + np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=150)
    settings = {"inducing_points": 20, "random_state": 0}
    by_bound = SparseGaussianProcessRegressor(bound="elbo", placement="elbo", **settings).fit(X, y)
    chosen = by_bound.search_["fits"][by_bound.search_["chosen"]]
    assert len(by_bound.search_["fits"]) == 2 and by_bound.search_["bound"] == "elbo"
    assert by_bound.noise_variance_ == chosen["parameters"]["noise_variance"]
    assert by_bound.model_.bound >= chosen["elbo"]["after"] - 1e-3
    assert by_bound.model_.facts["placement"]["start"] == "given"
    noise = by_bound.noise_variance_ * by_bound.target_scale_**2
    assert noise == pytest.approx(0.01, rel=0.5)
    usual = SparseGaussianProcessRegressor(**settings).fit(X, y)
    assert usual.search_ == {} and usual.bound == "evidence"
    errors = [np.sqrt(np.mean((each.predict(X) - 3.0 - np.sin(2.0 * X[:, 0])) ** 2)) for each in (by_bound, usual)]
    assert max(errors) < 0.1
    nothing = SparseGaussianProcessRegressor(inducing_points="auto", bound="elbo").fit(X[:20], np.full(20, 4.0))
    np.testing.assert_allclose(nothing.predict(X[:3]), 4.0)
    with pytest.raises(ValueError, match='there is no bound "ELBO"; did you mean "elbo"'):
        SparseGaussianProcessRegressor(bound="ELBO").fit(X, y)
