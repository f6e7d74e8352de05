"""Inference over functions: projected Langevin sampling (thesis, chapter 6) and its comparators.

Names are imported at their first use, like those of `particlegvi` itself.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

_SUBMODULES = (
    "basis", "covariances", "divergences", "functionals", "likelihoods", "means", "residuals", "selection",
    "wasserstein",
)  # fmt: skip
_MODULES = {
    **{name: name for name in _SUBMODULES},
    "class_probabilities": "prediction.class_probabilities",
    "kl_terms": "linear.kl_terms",
    "measurement": "linear.sets",
    "scores": "linear.spectral",
}
_NAMES = {
    "BayesianLinearRegression": "linear.bayesian",
    "ClassProcesses": "wasserstein.classes",
    "ClassSampler": "sampling.classes",
    "ExactGaussianProcess": "gp.exact_gp",
    "GaussianWasserstein": "wasserstein.inference",
    "LinearRegression": "linear.regression",
    "LogisticRegression": "linear.regression",
    "NystroemRidge": "linear.regression",
    "ProjectedLangevinSampler": "sampling.sampler",
    "SparseGaussianProcess": "gp.sparse_gp",
    "SubsetOfData": "gp.subsets",
    "SubsetOfRegressors": "gp.subsets",
    "fit_classification_hyperparameters": "gp.laplace",
    "fit_hyperparameters": "gp.hyperparameters",
    "gaussian_w2_squared": "wasserstein.process_distance",
    "process_w2_squared": "wasserstein.process_distance",
}
# These names need scikit-learn, an extra, so a star import leaves them out.
_ESTIMATORS = (
    "Classifier", "Estimator", "GaussianWassersteinClassifier", "GaussianWassersteinRegressor",
    "ProjectedLangevinClassifier", "ProjectedLangevinEstimator", "ProjectedLangevinPoissonRegressor",
    "ProjectedLangevinRegressor", "Regressor", "SparseGaussianProcessClassifier", "SparseGaussianProcessRegressor",
)  # fmt: skip

__all__ = [*_MODULES, *_NAMES]

if TYPE_CHECKING:
    from particlegvi.functionspace import (
        basis,
        covariances,
        divergences,
        functionals,
        likelihoods,
        means,
        residuals,
        selection,
        wasserstein,
    )
    from particlegvi.functionspace.estimators import *  # noqa: F403
    from particlegvi.functionspace.gp.exact_gp import ExactGaussianProcess
    from particlegvi.functionspace.gp.hyperparameters import fit_hyperparameters
    from particlegvi.functionspace.gp.laplace import fit_classification_hyperparameters
    from particlegvi.functionspace.gp.sparse_gp import SparseGaussianProcess
    from particlegvi.functionspace.gp.subsets import SubsetOfData, SubsetOfRegressors
    from particlegvi.functionspace.linear import kl_terms
    from particlegvi.functionspace.linear import sets as measurement
    from particlegvi.functionspace.linear import spectral as scores
    from particlegvi.functionspace.linear.bayesian import BayesianLinearRegression
    from particlegvi.functionspace.linear.regression import LinearRegression, LogisticRegression, NystroemRidge
    from particlegvi.functionspace.prediction import class_probabilities
    from particlegvi.functionspace.sampling.classes import ClassSampler
    from particlegvi.functionspace.sampling.sampler import ProjectedLangevinSampler
    from particlegvi.functionspace.wasserstein.classes import ClassProcesses
    from particlegvi.functionspace.wasserstein.inference import GaussianWasserstein
    from particlegvi.functionspace.wasserstein.process_distance import gaussian_w2_squared, process_w2_squared


def __getattr__(name: str) -> Any:
    if name in _NAMES or name in _ESTIMATORS:
        module = _NAMES.get(name, "estimators")
        value = getattr(importlib.import_module(f"particlegvi.functionspace.{module}"), name)
    elif name in _MODULES:
        value = importlib.import_module(f"particlegvi.functionspace.{_MODULES[name]}")
    else:
        raise AttributeError(f"module 'particlegvi.functionspace' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_ESTIMATORS])
