"""Covariance functions k(x, x') of Gaussian processes.

A covariance maps two sets of inputs to a matrix, may have a lengthscale for each coordinate (ARD), and can be added and
multiplied. The kernels of :mod:`particlegvi.kernels` have another contract: profiles of one squared distance, which the
engine compiles. `of` turns a kernel into a covariance.
"""

from __future__ import annotations

from particlegvi.functionspace.covariances.coordinates import OnCoordinates
from particlegvi.functionspace.covariances.covariance import Covariance, Iterated, KernelLike, Product, Sum
from particlegvi.functionspace.covariances.periodic import Periodic
from particlegvi.functionspace.covariances.stationary import Matern12, Matern32, Matern52, SquaredExponential
from particlegvi.tools import objects
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import Registry

__all__ = [
    "Covariance", "Iterated", "Matern12", "Matern32", "Matern52", "OnCoordinates", "Periodic",
    "Product", "SquaredExponential", "Sum", "get", "names", "register", "of",
]  # fmt: skip

ALLOWED = "a covariance of particlegvi.functionspace.covariances, or a kernel whose name a covariance has"
_registry: Registry[type[Covariance]] = Registry("particlegvi.functionspace.covariances", "covariance")
names, get, register = _registry.names, _registry.make, _registry.register


def of(kernel: KernelLike) -> Covariance:
    """Return a covariance unchanged, or the covariance for a kernel, whose lengthscale must be a number, not a rule."""
    if isinstance(kernel, Covariance):
        return kernel
    part = objects.having("kernel", kernel, ("name", "lengthscale", "variance"), ALLOWED)
    if part.name not in _registry:
        raise refuse("kernel", kernel, ALLOWED)
    if isinstance(part.lengthscale, str):
        raise ValueError(f'lengthscale of the kernel must be a number here, not the rule "{part.lengthscale}"')
    return get(part.name, lengthscale=part.lengthscale, variance=part.variance)
