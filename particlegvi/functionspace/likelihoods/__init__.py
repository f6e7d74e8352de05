"""Likelihoods p(y|f) of a target given the function's value.

Each is a ``NamedTuple`` whose scalar methods ``cost_at``, ``slope_at`` and ``curvature_at`` of (f, y) the engine
compiles, with array forms ``cost``, ``slope`` and ``curvature``. A new likelihood is one more file here.
"""

from __future__ import annotations

from particlegvi.functionspace.likelihoods.counts import Counts, PoissonLog, PoissonSquare
from particlegvi.functionspace.likelihoods.labels import BernoulliLogistic, Labels
from particlegvi.functionspace.likelihoods.likelihood import Likelihood
from particlegvi.functionspace.likelihoods.regression import Gaussian, ShiftedMixture, StudentT
from particlegvi.tools.registry import Registry, look_up

__all__ = [
    "Bernoulli", "BernoulliLogistic", "Gaussian", "Likelihood", "Poisson", "PoissonLog",
    "PoissonSquare", "ShiftedMixture", "StudentT", "get", "names", "register",
]  # fmt: skip

_registry: Registry[type[Likelihood]] = Registry(__name__, "likelihood")
names, get, register = _registry.names, _registry.make, _registry.register
_POISSON = {"square": PoissonSquare, "log": PoissonLog}


def Bernoulli(**parameters: float) -> Labels:
    """The likelihood of labels 0 and 1 with the logistic link."""
    return BernoulliLogistic(**parameters)


def Poisson(link: str = "square", **parameters: float) -> Counts:
    """The likelihood of counts whose rate is f^2 (the link "square") or exp(f) ("log")."""
    return look_up("link of Poisson", link, _POISSON)(**parameters)
