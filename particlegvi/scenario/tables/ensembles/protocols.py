"""A data set under a protocol of Table 5.1: the choice of columns and rows, and the scaling.

"standard" is the protocol of the published tables: 20 splits of 90/10, five for protein, with the last tenth of the
training rows for validation; scales come from the remaining rows. "thesis" is the protocol of the program behind
Table 5.1 with its rows taken by number. "thesis-leak" takes the rows as the program does: it permutes two copies of the
data one after the other and takes the test rows from the second by numbers that belong to the first, so that nine in
ten test rows were trained on. "thesis-text" has the rows of "thesis" with the start and the step size that the text
prints; it has to be asked for, because most of its networks run away.
"""

from __future__ import annotations

import numpy as np

from particlegvi.datasets import holdout, load, standard_splits
from particlegvi.functionspace.preprocessing import column_sd
from particlegvi.scenario.tables.problem import Part, Problem, scaled

AS_PRINTED = "thesis-text"
STANDARD = {"energy": "energy-heating", "naval": "naval-compressor", "wine": "wine-quality"}
# The program takes the last column for the target and every other one for an input, the other target included.
LAST_COLUMN = {"energy": ("energy-cooling", "energy-heating"), "naval": ("naval-turbine", "naval-compressor")}


def problem(row: str, protocol: str, split: int) -> Problem:
    """A row of the table under a protocol and a split."""
    return _standard(row, split) if protocol == "standard" else _thesis(row, protocol, split)


def _standard(row: str, split: int) -> Problem:
    data = load(STANDARD.get(row, row))
    *_, (train, test) = standard_splits(len(data.y), split + 1)
    held = max(1, len(train) // 10)
    base = train[:-held]
    X, y = scaled(data.X, base), scaled(data.y, base)
    fit, validation, tested = (Part(X[rows].copy(), y[rows].copy()) for rows in (base, train[-held:], test))
    return Problem(row=row, protocol="standard", split=split, train=fit, validation=validation, test=tested,
                   scale=float(column_sd(data.y[base])))  # fmt: skip


def _thesis(row: str, protocol: str, split: int) -> Problem:
    """Rows as the thesis's program takes them; scores are those of scaled targets."""
    target, *others = LAST_COLUMN.get(row, (STANDARD.get(row, row),))
    data = load(target)
    X = np.column_stack([data.X, *(load(other).y for other in others)])
    y = data.y
    orders = np.random.RandomState(split)
    first, second = orders.permutation(len(y)), orders.permutation(len(y))
    train, test = holdout(len(y), 0.1, split)
    trained = first[train]
    tested, base = (second[test], second[train]) if protocol == "thesis-leak" else (first[test], trained)
    fit, held = (Part(scaled(X, of)[rows], scaled(y, of)[rows]) for rows, of in ((trained, trained), (tested, base)))
    return Problem(row=row, protocol=protocol, split=split, train=fit, test=held,
                   leaked=float(np.isin(tested, trained).mean()))  # fmt: skip
