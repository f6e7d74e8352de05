"""Priors: the reference measure P of the divergence, one small file each.

Each has ``dim``, ``name``, ``low`` and ``high`` (infinite where unbounded), ``log_density``, its ``gradient``,
``sample``, ``term`` (minus the log density, for the engine), and where the mean of a Gaussian under it is known in
closed form, ``smooth``. A new prior is one more file here.
"""

from __future__ import annotations

import inspect
from typing import Any

from particlegvi import contracts
from particlegvi.priors.flat import Flat
from particlegvi.priors.formula import Prior
from particlegvi.priors.gaussian_mixture import GaussianMixture
from particlegvi.priors.laplace import Laplace
from particlegvi.priors.mean_embedding import Embedding, embedding
from particlegvi.priors.normal import Normal
from particlegvi.priors.student_t import StudentT
from particlegvi.priors.uniform import Uniform
from particlegvi.tools.registry import Registry, check_parameters

__all__ = [
    "Embedding",
    "Flat",
    "GaussianMixture",
    "Laplace",
    "Normal",
    "Prior",
    "StudentT",
    "Uniform",
    "embedding",
    "get",
    "names",
]

_registry = Registry("particlegvi.priors", "prior")


def names() -> list[str]:
    """The names of all priors, in alphabetical order."""
    return _registry.names()


def get(name: str, **parameters: Any) -> contracts.Prior:
    """The prior of this name, for example ``get("normal", mean=0.0, sd=1.0)``.

    Raises
    ------
    ValueError
        If there is no such prior or parameter (the nearest one is suggested), a parameter is missing, or a value is
        not allowed.
    """
    prior = _registry[name]
    known = inspect.signature(prior).parameters
    check_parameters(name, parameters, known)
    for key, parameter in known.items():
        if parameter.default is inspect.Parameter.empty and key not in parameters:
            raise ValueError(f"{key} of the {name} prior must be a number or a list of numbers, not left out")
    found: contracts.Prior = prior(**parameters)
    return found
