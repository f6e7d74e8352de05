"""A model of Stan, by an object of BridgeStan: ``bridgestan.StanModel("model.stan", data="data.json")``.

Only its documented methods are called, so that any object that has them will do. Stan's indices, which begin at 1,
become those of Python.
"""

from __future__ import annotations

import math
from typing import Protocol, runtime_checkable

import numpy as np

from particlegvi.contracts import Array
from particlegvi.losses.models.model import UNCONSTRAINED, Draws, ModelEnergy, at_each, continuous
from particlegvi.tools import arguments


@runtime_checkable
class StanModel(Protocol):
    """The methods of ``bridgestan.StanModel`` that are called."""

    def name(self) -> str: ...

    def param_unc_num(self) -> int: ...

    def param_unc_names(self) -> list[str]: ...

    def param_names(self, *, include_tp: bool = False) -> list[str]: ...

    def log_density_gradient(self, theta_unc: Array) -> tuple[float, Array]: ...

    def param_constrain(self, theta_unc: Array, *, include_tp: bool = False) -> Array: ...


def of_bridgestan(model: object) -> ModelEnergy:
    """The model of a ``bridgestan.StanModel``, with its data."""
    if not isinstance(model, StanModel):
        raise arguments.refuse("model", model, "a bridgestan.StanModel, with log_density_gradient and param_constrain")
    continuous("Stan", model.param_unc_num(), [])
    own_names = model.param_names(include_tp=True)

    def log_density(point: Array) -> tuple[float, Array]:
        value, gradient = model.log_density_gradient(point)
        return value, np.array(gradient)  # a copy: the model may use its array again

    def constrained(X: Array) -> Array:
        return np.array([np.array(model.param_constrain(point.copy(), include_tp=True)) for point in X])

    point = np.linspace(0.3, 0.7, model.param_unc_num())[None]
    own = dict(zip(own_names, constrained(point)[0], strict=True))
    names = [
        _shown(name) + ("" if own.get(name) == value else UNCONSTRAINED)
        for name, value in zip(model.param_unc_names(), point[0], strict=True)
    ]

    def constrain(X: Array) -> Draws:
        return arrays(own_names, constrained(X))

    return ModelEnergy(str(model.name()), "Stan", names, lambda X: at_each(log_density, X), constrain)


def arrays(names: list[str], columns: Array) -> Draws:
    """The columns (n, k) of entries such as ``b.1`` and ``b.2`` as one array for each variable, such as b (n, 2)."""
    places: dict[str, list[tuple[tuple[int, ...], int]]] = {}
    for column, name in enumerate(names):
        variable, index = _parts(name)
        places.setdefault(variable, []).append((index, column))
    draws = {}
    for variable, entries in places.items():
        shape = tuple(int(most) + 1 for most in np.max([index for index, _ in entries], axis=0))
        flat = np.empty((len(columns), math.prod(shape)))
        for index, column in entries:
            flat[:, np.ravel_multi_index(index, shape) if index else 0] = columns[:, column]
        draws[variable] = flat.reshape(len(columns), *shape)
    return draws


def _parts(name: str) -> tuple[str, tuple[int, ...]]:
    """The variable and the index of an entry: ``b.2.1`` is b at (1, 0)."""
    variable, *numbers = name.split(".")
    if not all(number.isdecimal() for number in numbers):  # an entry of a tuple, such as t:1
        return name, ()
    return variable, tuple(int(number) - 1 for number in numbers)


def _shown(name: str) -> str:
    variable, index = _parts(name)
    return f"{variable}[{', '.join(map(str, index))}]" if index else variable
