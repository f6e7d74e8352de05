"""Kernels of the maximum mean discrepancy: profiles of the squared distance.

Each is a ``NamedTuple`` with ``lengthscale`` and ``variance`` and two methods, ``value(r2)`` and ``slope(r2)``, where
``r2`` is the squared distance and the slope is the derivative with respect to it, so that

    grad_1 kappa(a, b) = 2 slope(|a - b|^2) (a - b).

A new kernel is one more file here. A third method, ``mixing_density``, is optional: with it the kernel mean embedding
of a Normal or Uniform prior is found in any dimension (see :mod:`particlegvi.priors.gaussian_sums`).
"""

from __future__ import annotations

from typing import Any

from particlegvi.kernels.bandwidth import default_kernel, resolve
from particlegvi.kernels.on_outputs import OnFirstLayer, OnLastLayer, OnOutputs
from particlegvi.kernels.profiles import InverseMultiquadric, Matern32, Matern52, SquaredExponential
from particlegvi.tools.registry import Registry

__all__ = [
    "InverseMultiquadric", "Matern32", "Matern52", "OnFirstLayer", "OnLastLayer", "OnOutputs", "SquaredExponential",
    "default_kernel", "get", "names", "register", "resolve",
]  # fmt: skip

# Names of other packages for a kernel of this one.
ALSO_CALLED = {"rbf": "squared-exponential", "gaussian": "squared-exponential", "se": "squared-exponential",
               "exponentiated-quadratic": "squared-exponential", "imq": "inverse-multiquadric"}  # fmt: skip

registry: Registry[Any] = Registry(__name__, "kernel", ALSO_CALLED)
names, get, register = registry.names, registry.make, registry.register
