"""Covariance functions k(x, x') of Gaussian processes: one small file each.

A covariance maps two sets of inputs to a matrix, may have a lengthscale for each coordinate (ARD), and can be added and
multiplied. The kernels of :mod:`particlegvi.kernels` have another contract: profiles of one squared distance, which the
engine compiles. `of` turns a kernel into a covariance.
"""

from __future__ import annotations

import inspect
from typing import Any

from particlegvi.functionspace.covariances.covariance import Covariance, KernelLike, Product, Sum
from particlegvi.functionspace.covariances.inverse_multiquadric import InverseMultiquadric
from particlegvi.functionspace.covariances.iterated import Iterated
from particlegvi.functionspace.covariances.matern import Matern12, Matern32, Matern52
from particlegvi.functionspace.covariances.periodic import Periodic
from particlegvi.functionspace.covariances.squared_exponential import SquaredExponential
from particlegvi.tools import parts
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import Registry, check_parameters, look_up

__all__ = [
    "Covariance",
    "InverseMultiquadric",
    "Iterated",
    "Matern12",
    "Matern32",
    "Matern52",
    "Periodic",
    "Product",
    "SquaredExponential",
    "Sum",
    "get",
    "names",
    "of",
]

ALLOWED = "a covariance of particlegvi.functionspace.covariances, or a kernel of particlegvi.kernels"
_registry: Registry[type[Covariance]] = Registry("particlegvi.functionspace.covariances", "covariance")


def names() -> list[str]:
    """The names of all covariances in alphabetical order, without those that need other covariances or data."""
    return list(_named())


def _named() -> dict[str, type[Covariance]]:
    return {
        name: part
        for name, part in _registry.parts().items()
        if all(p.default is not p.empty for p in inspect.signature(part).parameters.values())
    }


def get(name: str, **parameters: Any) -> Covariance:
    """The covariance of this name, for example ``get("matern-52", lengthscale=[0.5, 2.0])``."""
    covariance = look_up("covariance", name, _named())
    check_parameters(name, parameters, inspect.signature(covariance).parameters)
    return covariance(**parameters)


def of(kernel: KernelLike) -> Covariance:
    """Return a covariance unchanged, or the covariance for a kernel of :mod:`particlegvi.kernels`.

    Raises
    ------
    ValueError
        If the kernel's lengthscale is a rule instead of a number.
    """
    if isinstance(kernel, Covariance):
        return kernel
    found = parts.part("kernel", kernel, ("name", "lengthscale", "variance"), ALLOWED)
    if found.name not in names():
        raise refuse("kernel", kernel, ALLOWED)
    if isinstance(found.lengthscale, str):
        raise ValueError(f'lengthscale of the kernel must be a number here, not the rule "{found.lengthscale}"')
    return get(found.name, lengthscale=found.lengthscale, variance=found.variance)
