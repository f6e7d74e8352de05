"""Priors: the reference measure P of the divergence, a file each (those on half-lines share one), and mean embeddings.

Each has ``dim``, ``name``, ``low`` and ``high`` (infinite where unbounded), ``log_density``, its ``gradient``,
``sample``, ``term`` (minus the log density, for the engine), and where the mean of a Gaussian under it is known in
closed form, ``smooth``. A new prior is one more file here.
"""

from __future__ import annotations

from particlegvi import contracts
from particlegvi.priors.flat import Flat
from particlegvi.priors.formula import Prior
from particlegvi.priors.gaussian_mixture import GaussianMixture
from particlegvi.priors.half_lines import Exponential, Gamma, HalfNormal, LogNormal
from particlegvi.priors.laplace import Laplace
from particlegvi.priors.mean_embedding import Embedding, embedding
from particlegvi.priors.normal import Normal
from particlegvi.priors.student_t import StudentT
from particlegvi.priors.uniform import Uniform
from particlegvi.tools.registry import Registry

__all__ = [
    "Embedding", "Exponential", "Flat", "Gamma", "GaussianMixture", "HalfNormal", "Laplace", "LogNormal", "Normal",
    "Prior", "StudentT", "Uniform", "embedding", "get", "names", "register",
]  # fmt: skip

registry: Registry[type[contracts.Prior]] = Registry(__name__, "prior")
names, get, register = registry.names, registry.make, registry.register
