"""Every argument of scikit-learn's estimators and of residuals against every kind of bad value.

scikit-learn checks X, y and ``random_state`` itself, and refuses in its own words, as `check_estimator` demands.
"""

import inspect
from typing import Any

import numpy as np
import pytest

from particlegvi.functionspace import basis, covariances, residuals

from ...bad_values import Calls, add, answered

pytestmark = pytest.mark.thorough

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


def light(estimator: str, **settings: Any) -> Any:
    from particlegvi import functionspace

    kind = getattr(functionspace, f"ProjectedLangevin{estimator}")
    return kind(**{"fit_kernel": False, "random_state": 0, "particles": 2, "steps": 2} | settings)


for estimator in ("Classifier", "PoissonRegressor", "Regressor"):
    for key in inspect.signature(type(light(estimator))).parameters:
        if key != "random_state":
            CALLS[f"{estimator} {key}"] = lambda value, estimator=estimator, key=key: (
                light(estimator, **{key: value}).fit(X, Y).predict(X)
            )
        if key in ("kernel", "noise_variance"):  # from which the search for hyperparameters begins
            CALLS[f"{estimator} {key}, fitted"] = lambda value, estimator=estimator, key=key: light(
                estimator, **{"fit_kernel": True, key: value}
            ).fit(X, Y)


test_a_dozen_values_of_an_argument_are_answered, test_every_value_of_every_argument_is_answered = answered(CALLS)
