"""A data set under a protocol: which rows, which split, what is scaled."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from particlegvi.datasets import load, thesis_split
from particlegvi.functionspace.preprocessing import column_sd
from particlegvi.tools.registry import look_up


class Protocol(NamedTuple):
    """The treatment of the data before a model sees them, and of its variances after.

    Attributes
    ----------
    scale_inputs : bool
        Whether each input is brought to mean 0 and standard deviation 1 on the training rows.
    tempering : float
        The multiple of the best variance factor that is applied.
    stand_ins : dict
        Data sets that are replaced by others.
    few_points : bool
        Whether there are sqrt(N) inducing points, or as many as the settings allow.
    prior : str
        Of the coefficients of PLS, whose hyperparameters are those of a Gaussian process: "gp" fits them.
    """

    scale_inputs: bool
    tempering: float
    stand_ins: dict[str, str]
    few_points: bool
    prior: str


PROTOCOLS = {
    "standardised": Protocol(True, 1.0, {}, False, "gp"),
    # As the thesis's program does it: inputs in their units, twice the best factor, the heart data with their copies.
    "thesis": Protocol(False, 2.0, {"heart": "heart-1025"}, True, "rkhs"),
}


class Part(NamedTuple):
    X: np.ndarray
    y: np.ndarray


@dataclass(frozen=True)
class Problem:
    """Training, validation and test rows. The targets of a regression have mean 0 and sd 1 on the training rows.

    Attributes
    ----------
    task : str
    train, validation, test : Part
        ``validation`` has no rows in classification.
    protocol : Protocol
    split : int
    shared : dict
        What models of this problem compute once for all of them.
    """

    task: str
    train: Part
    validation: Part
    test: Part
    protocol: Protocol
    split: int
    shared: dict[str, Any] = field(default_factory=dict)

    def inducing_points(self, most: int) -> int:
        """The largest number of inducing points: ``floor(sqrt(N))`` in the thesis, else ``most``, N at most."""
        rows = len(self.train.y)
        return math.isqrt(rows) if self.protocol.few_points else min(most, rows)


def problem(row: str, protocol: str, split: int) -> Problem:
    """A row of the table under a protocol, with the thesis's split of this number.

    Raises
    ------
    ValueError
        If there is no such data set or protocol.
    MissingData
        If the file of the data is not there.
    """
    rules = look_up("protocol", protocol, PROTOCOLS)
    data = load(rules.stand_ins.get(row, row))
    X, y = data.X, data.y
    parts = thesis_split(len(y), split, data.task)
    if rules.scale_inputs:
        X = (X - X[parts.train].mean(axis=0)) / column_sd(X[parts.train])
    if data.task == "regression":
        y = (y - y[parts.train].mean()) / column_sd(y[parts.train], ddof=1)
    train, validation, test = (Part(X[rows], y[rows]) for rows in parts)
    return Problem(data.task, train, validation, test, rules, split)
