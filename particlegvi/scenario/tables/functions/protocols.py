"""A data set of Table 6.2 under a protocol: the rows, the split, the scaling."""

from __future__ import annotations

import math
from typing import NamedTuple

from particlegvi.datasets import load, thesis_split
from particlegvi.scenario.tables.problem import Part, Problem, scaled


class Protocol(NamedTuple):
    """The treatment of the data before a model sees them, and of its variances after."""

    scale_inputs: bool  # whether each input is scaled to mean 0 and standard deviation 1 on the training rows
    tempering: float  # variances are multiplied by this number times the best variance factor
    stand_ins: dict[str, str]  # replacements of data sets, by name
    few_points: bool  # if true, there are sqrt(N) inducing points; otherwise as many as the settings allow
    prior: str  # the prior of the coefficients of PLS: "gp" is the Gaussian process whose hyperparameters are fitted


PROTOCOLS = {
    "standardised": Protocol(True, 1.0, {}, False, "gp"),
    # The thesis's program uses unscaled inputs, twice the best variance factor, and heart data with duplicate rows.
    "thesis": Protocol(False, 2.0, {"heart": "heart-1025"}, True, "rkhs"),
}


def problem(row: str, protocol: str, split: int) -> Problem:
    """A row of the table under a protocol, with the thesis's split of this number.

    Targets of a regression have mean 0 and standard deviation 1 on the training rows. A classification has no
    validation rows.
    """
    rules = PROTOCOLS[protocol]
    data = load(rules.stand_ins.get(row, row))
    parts = thesis_split(len(data.y), split, data.task)
    X = scaled(data.X, parts.train) if rules.scale_inputs else data.X
    y = scaled(data.y, parts.train, ddof=1) if data.task == "regression" else data.y
    train, validation, test = (Part(X[rows], y[rows]) for rows in parts)
    return Problem(row=row, protocol=protocol, split=split, train=train, test=test, validation=validation,
                   task=data.task)  # fmt: skip


def most_points(problem: Problem, most: int) -> int:
    """The largest number of inducing points: ``floor(sqrt(N))`` in the thesis, else ``most``, N at most."""
    rows = len(problem.train.y)
    return math.isqrt(rows) if PROTOCOLS[problem.protocol].few_points else min(most, rows)
