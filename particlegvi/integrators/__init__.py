"""How the flow is stepped: one small file per integrator, found by its ``name``.

An integrator is a function ``(step_size, temperature, stiffness) -> Stepping`` with the attributes ``name`` and
``linear_part``. ``temperature`` is kl_weight; ``stiffness`` (dim,) is the constant curvature of the linear part of the
drift (zero where there is none). The compiled step is, coordinate by coordinate,

    x <- x - gain * drift + noise_now * Z_k + noise_next * Z_{k+1}.
"""

from __future__ import annotations

from typing import Any

from particlegvi.integrators.stepping import Stepping
from particlegvi.registry import Registry

_REGISTRY = Registry("particlegvi.integrators", "integrator")

__all__ = ["Stepping", "get", "names"]


def names() -> list[str]:
    """Names of all integrators."""
    return _REGISTRY.names()


def get(name: str) -> Any:
    """The integrator of this name; an unknown one is a ``ValueError`` with the nearest right one."""
    return _REGISTRY[name]
