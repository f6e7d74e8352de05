"""Partial derivatives of a function at points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.functionspace.functionals.local import Local
from particlegvi.functionspace.functionals.terms import Terms
from particlegvi.tools.arguments import frozen, points, whole

STEP = 1e-4  # step of the difference quotient for the slope of a prior mean, in units of 1 + |x|


class Slopes(Local):
    """The derivatives dF/dx_c at points.

    Parameters
    ----------
    X : array (m, dim)
    coordinate : int
        Number c of the coordinate, from 0.

    Raises
    ------
    ValueError
        When used with a covariance whose functions have no derivative, such as Matern 1/2.
    """

    name = "slopes"
    needs = "differentiable"

    def __init__(self, X: ArrayLike, coordinate: int = 0) -> None:
        self.X = frozen(points("X", X).copy())
        self.inputs = self.X.shape[1]
        self.coordinate = whole("coordinate", coordinate, 0, self.inputs - 1)

    def __len__(self) -> int:
        return len(self.X)

    def terms(self) -> Terms:
        order = np.zeros(self.X.shape)
        order[:, self.coordinate] = 1.0
        return Terms(order, self.X, np.zeros(self.X.shape), np.ones(len(self.X)), np.arange(len(self.X)))

    def apply(self, function: Callable[[Array], Array]) -> Array:
        """Approximate the slopes of a function by differences of fourth order."""
        at, total = self.X[:, self.coordinate], np.zeros(len(self.X))
        width = STEP * (1.0 + np.abs(at))
        for shift, weight in ((-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)):
            moved = self.X.copy()
            moved[:, self.coordinate] = at + shift * width
            total += weight / 12.0 * np.asarray(function(moved)) / width
        return total

    def state(self) -> dict[str, Array]:
        return {"X": self.X, "coordinate": np.array(self.coordinate)}

    @classmethod
    def restore(cls, state: Mapping[str, Array]) -> Self:
        return cls(state["X"], int(state["coordinate"].item()))
