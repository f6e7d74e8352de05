"""The base class of the algorithms for the repulsion: ``estimate`` the cost of a state, then compute the ``force``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

import numpy as np

from particlegvi.contracts import Array, Kernel

CALL = 20_000.0  # nanoseconds of calls from Python, about
Prepared = TypeVar("Prepared")  # given by `estimate` to `force`


def pair_cost(dim: int) -> float:
    """Nanoseconds for one pair of the direct sum."""
    return 0.8 + 0.33 * dim


@dataclass(eq=False, repr=False)
class Algorithm(Generic[Prepared]):
    """An algorithm for one kernel, dimension and tolerance."""

    kernel: Kernel
    dim: int
    tolerance: float
    name: ClassVar[str]  # in the facts of a run
    exact: ClassVar[bool] = False  # whether there is no error but rounding

    def estimate(self, positions: Array) -> tuple[float, Prepared] | None:
        """(nanoseconds, anything prepared) of a force at the positions (particles, dim), or None if it cannot be.

        The nanoseconds follow from operation counts and constants, so that the choice is the same on every machine.
        """
        raise NotImplementedError

    def force(self, positions: Array, prepared: Prepared, factor: float, out: Array) -> None:
        """out = factor / N sum_j grad_1 kappa(x_i, x_j), both (particles, dim)."""
        raise NotImplementedError

    def attracts(self, prepared: Prepared) -> bool:
        """Whether the force prepared by `estimate` includes the attraction of the prior."""
        return False


def extent(positions: Array) -> tuple[Array, Array]:
    """The least and the greatest of each coordinate, (dim,) each, column by column, which is quicker than by rows."""
    return np.array([column.min() for column in positions.T]), np.array([column.max() for column in positions.T])
