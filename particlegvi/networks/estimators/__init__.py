"""Ensembles of networks behind scikit-learn's interface, for pipelines, grid search and cross-validation."""

import importlib.util

if importlib.util.find_spec("sklearn") is None:
    raise ImportError("these estimators need scikit-learn: pip install 'particlegvi[learn]'")

from particlegvi.networks.estimators.ensembles import EnsembleClassifier, EnsembleRegressor
from particlegvi.networks.estimators.estimator import EnsembleEstimator

__all__ = ["EnsembleClassifier", "EnsembleEstimator", "EnsembleRegressor"]
