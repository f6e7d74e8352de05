"""A data set of Table 4.1 under a protocol: the choice of rows, and the scaling.

"standardised" scales inputs on the training rows, "thesis" leaves them in their units, as B.7 says; both have splits of
80/10/10. "best-of-30" is the protocol of the published program: thirty trials a fold, each with a fresh permutation of
the rows, a tenth for the test and a tenth of the rest for validation. Targets are scaled under all protocols.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from particlegvi.contracts import Array
from particlegvi.datasets import load, thesis_split
from particlegvi.datasets.splits import Split
from particlegvi.functionspace.preprocessing import column_sd
from particlegvi.scenario.tables.problem import Part, Problem, scaled

BEST = "best-of-30"
TRIALS = 30
SETS = {"energy": "energy-heating", "naval": "naval-compressor", "wine": "wine-quality"}
SMALL_BATCHES = ("concrete", "energy")  # sets with batches of 100 rows in the published program, unlike in the text


@dataclass(frozen=True)
class Trials:
    """The thirty problems of one fold of best-of-30."""

    row: str
    X: Array
    y: Array
    fold: int

    def problem(self, number: int) -> Problem:
        """One trial."""
        order = np.random.RandomState([self.fold, number]).permutation(len(self.y))
        tested = max(1, len(order) // 10)
        held = max(2, (len(order) - tested) // 10)
        split = Split(order[tested + held :], order[tested : tested + held], order[:tested])
        seed = 1000 * self.fold + number
        return _scaled(self.X, self.y, split, row=self.row, protocol=BEST, fold=self.fold, seed=seed)


def problem(row: str, protocol: str, split: int) -> Problem | Trials:
    """A row of the table under a protocol and a split."""
    data = load(SETS.get(row, row))
    if protocol == BEST:
        return Trials(row, data.X, data.y, split)
    rows = thesis_split(len(data.y), split, "regression")
    return _scaled(data.X, data.y, rows, row=row, protocol=protocol, fold=split, seed=split)


def batch_size(problem: Problem) -> int:
    """The batch size of networks."""
    return 100 if problem.row in SMALL_BATCHES and problem.protocol != "thesis" else 1000


def _scaled(X: Array, y: Array, split: Split, *, row: str, protocol: str, fold: int, seed: int) -> Problem:
    base = split.train
    inputs, targets = X if protocol == "thesis" else scaled(X, base), scaled(y, base)
    train, validation, test = (Part(inputs[rows].copy(), targets[rows].copy()) for rows in split)
    return Problem(row=row, protocol=protocol, split=fold, train=train, validation=validation, test=test,
                   scale=float(column_sd(y[base])), seed=seed)  # fmt: skip
