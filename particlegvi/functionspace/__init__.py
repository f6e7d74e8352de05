"""Inference over functions: projected Langevin sampling (thesis, chapter 6) and its comparators.

Names are imported at their first use, like those of `particlegvi` itself.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

_MODULES = (
    "basis", "class_probabilities", "covariances", "divergences", "functionals", "kl_terms", "likelihoods", "means",
    "measurement", "residuals", "scores", "selection", "wasserstein",
)  # fmt: skip
_NAMES = {
    "BayesianLinearRegression": "bayesian_linear",
    "ExactGaussianProcess": "gp.exact_gp",
    "LinearRegression": "linear",
    "LogisticRegression": "linear",
    "NystroemRidge": "ridge",
    "ProjectedLangevinSampler": "sampling.sampler",
    "SparseGaussianProcess": "gp.sparse_gp",
    "SubsetOfData": "gp.subset_of_data",
    "SubsetOfRegressors": "gp.subset_of_regressors",
    "fit_classification_hyperparameters": "gp.laplace",
    "GaussianWasserstein": "gaussian_wasserstein",
    "fit_hyperparameters": "gp.hyperparameters",
    "gaussian_w2": "wasserstein",
    "process_w2": "wasserstein",
}
# These need scikit-learn, an extra, and so do not belong to what a star imports.
_ESTIMATORS = (
    "GaussianWassersteinRegressor",
    "ProjectedLangevinClassifier", "ProjectedLangevinPoissonRegressor", "ProjectedLangevinRegressor",
    "SparseGaussianProcessClassifier", "SparseGaussianProcessRegressor",
)  # fmt: skip

__all__ = [*_MODULES, *_NAMES]

if TYPE_CHECKING:
    from particlegvi.functionspace import (
        basis,
        class_probabilities,
        covariances,
        divergences,
        functionals,
        kl_terms,
        likelihoods,
        means,
        measurement,
        residuals,
        scores,
        selection,
        wasserstein,
    )
    from particlegvi.functionspace.bayesian_linear import BayesianLinearRegression
    from particlegvi.functionspace.estimators import (
        GaussianWassersteinRegressor,
        ProjectedLangevinClassifier,
        ProjectedLangevinPoissonRegressor,
        ProjectedLangevinRegressor,
        SparseGaussianProcessClassifier,
        SparseGaussianProcessRegressor,
    )
    from particlegvi.functionspace.gaussian_wasserstein import GaussianWasserstein
    from particlegvi.functionspace.gp.exact_gp import ExactGaussianProcess
    from particlegvi.functionspace.gp.hyperparameters import fit_hyperparameters
    from particlegvi.functionspace.gp.laplace import fit_classification_hyperparameters
    from particlegvi.functionspace.gp.sparse_gp import SparseGaussianProcess
    from particlegvi.functionspace.gp.subset_of_data import SubsetOfData
    from particlegvi.functionspace.gp.subset_of_regressors import SubsetOfRegressors
    from particlegvi.functionspace.linear import LinearRegression, LogisticRegression
    from particlegvi.functionspace.ridge import NystroemRidge
    from particlegvi.functionspace.sampling.sampler import ProjectedLangevinSampler
    from particlegvi.functionspace.wasserstein import gaussian_w2, process_w2


def __getattr__(name: str) -> Any:
    if name in _NAMES or name in _ESTIMATORS:
        module = _NAMES.get(name, "estimators")
        value = getattr(importlib.import_module(f"particlegvi.functionspace.{module}"), name)
    elif name in _MODULES:
        value = importlib.import_module(f"particlegvi.functionspace.{name}")
    else:
        raise AttributeError(f"module 'particlegvi.functionspace' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
