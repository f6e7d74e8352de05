"""The problem of a task of a table, which the models of a row, a protocol and a split share, and their predictions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array
from particlegvi.functionspace.preprocessing import column_sd

Shared = TypeVar("Shared")


class Part(NamedTuple):
    """Inputs (n, dim) and targets (n,) of some rows."""

    X: Array
    y: Array


NO_ROWS = Part(np.empty((0, 0)), np.empty(0))


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A row of a table under a protocol and a split."""

    row: str
    protocol: str
    split: int
    train: Part  # inputs and targets, scaled by the protocol
    test: Part
    validation: Part = NO_ROWS
    task: str = "regression"  # "regression" or "classification"
    scale: float = 1.0  # factor from the scaled targets of a regression to the original unit
    leaked: float = 0.0  # the share of the test rows that were trained on
    seed: int = 0  # the seed of random choices in this problem
    shared: dict[str, Any] = field(default_factory=dict)  # results that its models share; see `once`

    def once(self, name: str, find: Callable[[], Shared]) -> Shared:
        """The result of ``find``, which is called once for all models of the problem."""
        if name not in self.shared:
            self.shared[name] = find()
        result: Shared = self.shared[name]
        return result


class Numbers(NamedTuple):
    """Predicted observations, noise included: means and standard deviations, on the test and the validation rows."""

    mean: Array
    sd: Array
    validation_mean: Array
    validation_sd: Array


class Classes(NamedTuple):
    """The probability of label 1 on the test rows."""

    probability: Array


def scaled(values: Array, base: NDArray[np.intp], ddof: int = 0) -> Array:
    """Values (n,) or (n, dim) with mean 0 and standard deviation 1 on the rows ``base``; constant columns have 0."""
    return np.asarray((values - values[base].mean(axis=0)) / column_sd(values[base], ddof))
