"""Every argument of scikit-learn's estimators and of residuals against every kind of bad value.

scikit-learn checks X, y and ``random_state`` itself, and refuses in its own words, as `check_estimator` demands.
"""

import inspect
from typing import Any

import numpy as np
import pytest

from particlegvi.functionspace import basis, covariances, residuals

from ...bad_values import FEW, VALUES, Calls, add, answered, wrong_answers

pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'particlegvi[learn]'")

X, Y = np.linspace(-1.0, 1.0, 6)[:, None], np.array([0.0, 1.0, 1.0, 0.0, 1.0, 0.0])
CALLS: Calls = {}

FEATURES = basis.Nystroem(covariances.SquaredExponential(0.5), X[:3])
add(CALLS, "residuals.get", residuals.get, "name", basis=FEATURES)
for name in residuals.names():
    residual = residuals.get(name, FEATURES)
    for answer in ("joint", "negative_eigenvalue", "covariance", "variance", "sample"):
        if hasattr(residual, answer):
            function = getattr(residual, answer)
            keys = list(inspect.signature(function).parameters)
            given = {"X": X, "X2": X, "features": None, "normals": np.ones((2, 6))}
            add(CALLS, f"{name} residual {answer}", function, " ".join(keys), **{key: given[key] for key in keys})

ESTIMATORS = ("Classifier", "PoissonRegressor", "Regressor")
OF_SCIKIT_LEARN = ("random_state",)


def light(estimator: str, **settings: Any) -> Any:
    from particlegvi import functionspace

    kind = getattr(functionspace, f"ProjectedLangevin{estimator}")
    return kind(**{"fit_kernel": False, "random_state": 0, "particles": 2, "steps": 2} | settings)


def arguments(estimator: str) -> Calls:
    """Its settings, which its fit looks at; with the search for hyperparameters those that this begins from."""
    calls: Calls = {}
    for key in inspect.signature(type(light(estimator))).parameters:
        if key not in OF_SCIKIT_LEARN:
            calls[f"{estimator} {key}"] = lambda value, key=key: light(estimator, **{key: value}).fit(X, Y).predict(X)
        if key in ("kernel", "noise_variance"):
            calls[f"{estimator} {key}, fitted"] = lambda value, key=key: light(
                estimator, **{"fit_kernel": True, key: value}
            ).fit(X, Y)
    return calls


test_residuals, test_all_values_of_residuals = answered(CALLS)


@pytest.mark.parametrize("values", [FEW, pytest.param(VALUES, marks=pytest.mark.thorough)], ids=["few", "all"])
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_settings_of_estimators(estimator, values):
    wrong = [each for name, call in arguments(estimator).items() for each in wrong_answers(name, call, values)]
    assert not wrong, "\n".join(wrong)
