"""Gaussian Wasserstein inference as an estimator."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from particlegvi.functionspace import GaussianWassersteinRegressor


def test_the_checks_of_scikit_learn():
    made = GaussianWassersteinRegressor(mean="inducing", fit_kernel=False, inducing_points=20)
    results = check_estimator(made, on_fail=None, on_skip=None)
    assert not [(result["check_name"], result["exception"]) for result in results if result["status"] == "failed"]
    assert sum(result["status"] == "passed" for result in results) > 40


@pytest.mark.slow
def test_the_checks_of_scikit_learn_with_a_network():
    results = check_estimator(GaussianWassersteinRegressor(random_state=0), on_fail=None, on_skip=None)
    assert not [result["check_name"] for result in results if result["status"] == "failed"]


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


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"mean": "linear"}, "mean must be"),
        ({"validation_fraction": 1.0}, "validation_fraction must be"),
        ({"inducing_points": 0}, "inducing_points must be"),
        ({"hidden": (0,)}, r"hidden\[0\] must be"),
    ],
)
def test_bad_settings_are_refused(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        GaussianWassersteinRegressor(**given).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.5])
