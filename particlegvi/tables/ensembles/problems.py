"""A data set under a protocol of Table 5.1: which columns, which rows, what is scaled.

"standard" is the one of the published tables: 20 splits of 90/10, five for protein, with the last tenth of the training
rows for validation; scales come from the rows that are left. "thesis" is that of the program behind Table 5.1 with its
rows taken by number; "thesis-leak" as it takes them: two objects of the data are permuted one after another, and the
numbers of the test rows of one address another order of the other, so that nine in ten of them were trained on.
"thesis-text" has the rows of "thesis" with the start and the step size that the text prints; it is no part of the table
unless it is asked for, because most of its networks run away.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array
from particlegvi.datasets import holdout, load, standard_splits
from particlegvi.functionspace.preprocessing import column_sd
from particlegvi.tables.ensembles import printed
from particlegvi.tools.registry import look_up

PROTOCOLS = ("standard", "thesis", "thesis-leak")
AS_PRINTED = "thesis-text"
FEW_SPLITS = {"protein": 5}
STANDARD = {"energy": "energy-heating", "naval": "naval-compressor", "wine": "wine-quality"}
# The program takes the last column for the target and every other one for an input, the other target included.
LAST_COLUMN = {"energy": ("energy-cooling", "energy-heating"), "naval": ("naval-turbine", "naval-compressor")}


class Part(NamedTuple):
    X: Array
    y: Array


class Problem(NamedTuple):
    """Training, validation and test rows, scaled on the training rows.

    Attributes
    ----------
    train, validation, test : Part
        There are no validation rows under the protocols of the thesis.
    scale : float
        What a target is multiplied by to have its own unit: 1 under the thesis's protocols, which score scaled ones.
    protocol : str
    split : int
    leaked : float
        The share of the test rows that were trained on.
    """

    train: Part
    validation: Part
    test: Part
    scale: float
    protocol: str
    split: int
    leaked: float


def problem(row: str, protocol: str, split: int) -> Problem:
    """A row of the table under a protocol and a split.

    Raises
    ------
    ValueError
        If there is no such data set or protocol; `MissingData` if its file is not there.
    """
    look_up("protocol", protocol, dict.fromkeys((*PROTOCOLS, AS_PRINTED)))
    look_up("row of the table", row, dict.fromkeys(printed.rows()))
    if protocol == "standard":
        return _standard(row, split)
    return _thesis(row, protocol, split)


def _standard(row: str, split: int) -> Problem:
    data = load(STANDARD.get(row, row))
    *_, (train, test) = standard_splits(len(data.y), split + 1)
    held = max(1, len(train) // 10)
    rows = (train[:-held], train[-held:], test)
    X, y = data.X, data.y
    base = rows[0]
    scale = float(column_sd(y[base]))
    X = (X - X[base].mean(axis=0)) / column_sd(X[base])
    y = (y - y[base].mean()) / scale
    fit, validation, tested = (Part(X[each].copy(), y[each].copy()) for each in rows)
    return Problem(fit, validation, tested, scale, "standard", split, 0.0)


def _thesis(row: str, protocol: str, split: int) -> Problem:
    target, *others = LAST_COLUMN.get(row, (STANDARD.get(row, row),))
    data = load(target)
    X = np.column_stack([data.X, *(load(other).y for other in others)])
    y = data.y
    orders = np.random.RandomState(split)
    first, second = orders.permutation(len(y)), orders.permutation(len(y))
    train, test = holdout(len(y), 0.1, split)
    seen = first[train]
    tested, base = (second[test], second[train]) if protocol == "thesis-leak" else (first[test], seen)
    nothing, leaked = Part(X[:0], y[:0]), float(np.isin(tested, seen).mean())
    return Problem(_scaled(X, y, seen, seen), nothing, _scaled(X, y, tested, base), 1.0, protocol, split, leaked)


def _scaled(X: Array, y: Array, rows: NDArray[np.intp], base: NDArray[np.intp]) -> Part:
    """Rows with the mean and the standard deviation of others taken away."""
    inputs = (X[rows] - X[base].mean(axis=0)) / column_sd(X[base])
    return Part(inputs, (y[rows] - y[base].mean()) / float(column_sd(y[base])))
