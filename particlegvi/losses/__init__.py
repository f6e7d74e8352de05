"""The losses that come with the package, by name: one small file each, found by being here.

A loss is a class on top of a ``NamedTuple`` that holds its parameters. It has methods ``value(self, x)`` and
``gradient(self, x, out)`` in plain Python, with functions of ``math``, and these class attributes:

``name``
    Its name in the registry.
``dim``
    Number of coordinates; a property where the fields decide it.
``source``
    Where it comes from.
``plot_window``
    (low, high) for each coordinate, where figures look.
``positive`` (optional)
    Names of the fields that must be positive.
``arrays`` (optional)
    Names of the parameters that may be arrays; all others are single numbers.
``minima`` (optional)
    Its local minima, where they are known and finitely many.

A loop inside ``gradient`` keeps the loop over the particles around it from being vectorised. Where that matters a loss
also has ``gradients(self, points, out)`` for a block of points (dim, lanes), with the lanes innermost. Where value and
gradient share work it has ``values_and_gradients(self, points, values, out)``, which the integrator "mala" calls.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from particlegvi.losses.checks import declared
from particlegvi.losses.loss import Loss
from particlegvi.losses.of_data import linear_model
from particlegvi.tools import arguments
from particlegvi.tools.registry import Registry, check_parameters

__all__ = ["Loss", "get", "linear_model", "names", "parameters", "register"]

registry: Registry[Any] = Registry(__name__, "loss")
names, register = registry.names, registry.register


def parameters(name: str) -> dict[str, Any]:
    """The parameters of a loss, with their defaults."""
    signature = inspect.signature(registry[name])
    return {key: parameter.default for key, parameter in signature.parameters.items()}


def get(name: str, **settings: Any) -> Loss:
    """A loss by name.

    Parameters
    ----------
    name : str
        One of `names`.
    **settings
        Its parameters (see `parameters`): numbers, or arrays where the loss takes arrays.
    """
    known = parameters(name)
    definition = registry[name]
    check_parameters(name, settings, known)
    arrays = declared(definition, "arrays", ())
    term = definition(**{key: _checked(name, key, content, key in arrays) for key, content in settings.items()})
    return Loss.from_term(term, name=name)


def _checked(name: str, key: str, content: object, may_be_array: bool) -> Any:
    """A parameter as a float or a float64 array, or a ValueError."""
    if key == "dim":
        return arguments.whole(f"dim of {name}", content, 1, arguments.MOST_COORDINATES)
    wanted = "a number or an array of numbers" if may_be_array else "a number"
    array = arguments.array(f"{key} of {name}", content, wanted)
    if array.ndim > 0 and not may_be_array:
        raise arguments.refuse(f"{key} of {name}", content, wanted)
    if not np.all(np.isfinite(array)):
        raise arguments.refuse(f"{key} of {name}", content, "a finite number")
    return float(array) if array.ndim == 0 else array.copy()
