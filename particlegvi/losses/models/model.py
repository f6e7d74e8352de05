"""A model in the form that a loss needs: minus the log density on the whole space, and the map to its own variables."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from particlegvi.contracts import Array

Draws: TypeAlias = dict[str, Array]  # by the name of a variable, (n, ...)
Shapes: TypeAlias = Mapping[str, tuple[int, ...]]
UNCONSTRAINED = " (unconstrained)"  # what the name of a coordinate ends with where its variable has another unit


class ModelEnergy(NamedTuple):
    """A model in coordinates without walls."""

    name: str
    language: str
    coordinates: list[str]  # a name for each
    energy: Callable[[Array], tuple[Array, Array]]  # of points (n, dim): minus the log density (n,), gradient (n, dim)
    constrain: Callable[[Array], Draws]  # of points (n, dim)


def split(theta: Array, shapes: Shapes) -> Draws:
    """The coordinates of each variable, one after the other along the last axis, in the variable's shape.

    It works for arrays of JAX as well.
    """
    parts, first = {}, 0
    for name, shape in shapes.items():
        size = math.prod(shape)
        parts[name] = theta[..., first : first + size].reshape(theta.shape[:-1] + shape)
        first += size
    return parts


def indexed(name: str, shape: tuple[int, ...]) -> list[str]:
    """A name for each entry of a variable: ``a[0]``, ``a[1]``, or ``a[0, 1]``; ``a`` itself for a number."""
    return [f"{name}[{', '.join(map(str, index))}]" if index else name for index in np.ndindex(shape)]


def coordinate_names(shapes: Shapes, constrain: Callable[[Array], Draws]) -> list[str]:
    """A name for each coordinate, which says where its variable has another unit: at one point they differ."""
    dim = sum(math.prod(shape) for shape in shapes.values())
    point = np.linspace(0.3, 0.7, dim)[None]
    own, names = constrain(point), []
    for name, values in split(point, shapes).items():
        same = name in own and np.array_equal(own[name], values)
        names += [entry if same else entry + UNCONSTRAINED for entry in indexed(name, values.shape[1:])]
    return names


def at_each(function: Callable[[Array], tuple[float, Array]], X: Array) -> tuple[Array, Array]:
    """Minus the log density (n,) and its gradient (n, dim) of a function of one point that returns log density and
    gradient; infinite where it raises an ``ArithmeticError`` or a ``RuntimeError``, as Stan does outside of a domain.
    """
    values, gradients = np.full(len(X), np.inf), np.zeros(X.shape)
    for row, point in enumerate(X):
        try:
            value, gradient = function(point.copy())
        except (ArithmeticError, RuntimeError):
            continue
        values[row], gradients[row] = -value, -np.asarray(gradient)
    return values, gradients


def continuous(language: str, variables: int, discrete: list[str]) -> None:
    """Refuse a model with discrete variables, or without any."""
    if discrete:
        raise ValueError(
            f"the model must have continuous variables only, and {discrete[0]} is discrete: sum it out, or observe it"
        )
    if not variables:
        raise ValueError(f"the model of {language} must have a continuous variable that is not observed, and has none")
