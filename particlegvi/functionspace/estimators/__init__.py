"""Models of functions behind scikit-learn's interface, for pipelines, grid search and cross-validation."""

from __future__ import annotations

import importlib.util

if importlib.util.find_spec("sklearn") is None:
    raise ImportError("these estimators need scikit-learn: pip install 'particlegvi[learn]'")

from particlegvi.functionspace.estimators.gaussian import (
    GaussianWassersteinRegressor,
    SparseGaussianProcessClassifier,
    SparseGaussianProcessRegressor,
)
from particlegvi.functionspace.estimators.langevin import (
    ProjectedLangevinClassifier,
    ProjectedLangevinPoissonRegressor,
    ProjectedLangevinRegressor,
)

__all__ = [
    "GaussianWassersteinRegressor",
    "ProjectedLangevinClassifier", "ProjectedLangevinPoissonRegressor", "ProjectedLangevinRegressor",
    "SparseGaussianProcessClassifier", "SparseGaussianProcessRegressor",
]  # fmt: skip
