"""Models of functions behind scikit-learn's interface, for pipelines, grid search and cross-validation."""

import importlib.util

if importlib.util.find_spec("sklearn") is None:
    raise ImportError("these estimators need scikit-learn: pip install 'particlegvi[learn]'")

from particlegvi.functionspace.estimators.base import Classifier, Estimator, Regressor
from particlegvi.functionspace.estimators.gaussian import (
    GaussianWassersteinClassifier,
    GaussianWassersteinRegressor,
    SparseGaussianProcessClassifier,
    SparseGaussianProcessRegressor,
)
from particlegvi.functionspace.estimators.langevin import (
    ProjectedLangevinClassifier,
    ProjectedLangevinEstimator,
    ProjectedLangevinPoissonRegressor,
    ProjectedLangevinRegressor,
)

__all__ = [
    "Classifier", "Estimator", "GaussianWassersteinClassifier", "GaussianWassersteinRegressor",
    "ProjectedLangevinClassifier", "ProjectedLangevinEstimator", "ProjectedLangevinPoissonRegressor",
    "ProjectedLangevinRegressor", "Regressor", "SparseGaussianProcessClassifier", "SparseGaussianProcessRegressor",
]  # fmt: skip
