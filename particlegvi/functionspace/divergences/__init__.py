"""Divergences between Gaussian process posteriors of one prior, of the whole processes and not at some inputs.

===========================  =======================================================================
name                         content
===========================  =======================================================================
``kl``                       Kullback-Leibler divergence
``wasserstein``              2-Wasserstein distance in the RKHS of the prior covariance
``fisher``                   Fisher distance in that space, under a third process nu
``preconditioned-fisher``    the same, preconditioned by the covariance of the first process
``log-density-ratio``        log of the supremum of dp/dnu, which the bound of the last one needs
===========================  =======================================================================

Each is one file with a function of fitted processes: `ExactGaussianProcess` (and `SubsetOfData`),
`SparseGaussianProcess`, `SubsetOfRegressors`, or "prior". All must have the same covariance. They differ from the prior
in finitely many directions only, so that each divergence is one of Gaussians in R^d (`laws`); the cost is O(d^3) with d
at most the number of rows and inducing points together.

With r the covariance of the prior and e the 2-Wasserstein distance, at every input the differences of the means and of
the standard deviations obey ``dmean^2 + dsd^2 <= r(x, x) e^2``, and

    e^2 <= 2 KL(q, p),  e <= sup(dp/dnu)^(1/2) preconditioned Fisher(q, p; nu),  dmean^2 + dsd^2 <= 2 var_p(x) KL(q, p).

Sources: Talagrand (1996); Huggins, Campbell, Kasprzak and Broderick (2019), whose constants 2, 6 and 3 are not sharp.
"""

from __future__ import annotations

from typing import Any

from particlegvi.functionspace.divergences.density_ratio import log_density_ratio
from particlegvi.functionspace.divergences.fisher import fisher, preconditioned_fisher
from particlegvi.functionspace.divergences.kullback_leibler import kl
from particlegvi.functionspace.divergences.wasserstein import wasserstein
from particlegvi.tools.registry import Registry

__all__ = ["fisher", "get", "kl", "log_density_ratio", "names", "preconditioned_fisher", "wasserstein"]

_registry = Registry(__name__, "divergence")


def names() -> list[str]:
    """The names of all divergences, in alphabetical order."""
    return _registry.names()


def get(name: str) -> Any:
    """The function of this name, for example ``get("kl")``.

    Raises
    ------
    ValueError
        If there is no such divergence; the nearest one is suggested.
    """
    return _registry[name]
