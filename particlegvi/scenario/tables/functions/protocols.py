"""A data set under a protocol of Table 6.2: the rows, the split, the scaling; and the printed numbers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

from particlegvi.datasets import load, thesis_split
from particlegvi.scenario.tables.printed import PrintedTable
from particlegvi.scenario.tables.problem import Part, Problem, scaled
from particlegvi.tools import arguments
from particlegvi.tools.registry import look_up

PRINTED = PrintedTable(Path(__file__).with_name("printed.toml"))


class Protocol(NamedTuple):
    """The treatment of the data before a model sees them, and of its variances after.

    Attributes
    ----------
    scale_inputs : bool
        Whether each input is scaled to mean 0 and standard deviation 1 on the training rows.
    tempering : float
        Variances are multiplied by this number times the best variance factor.
    stand_ins : dict
        Replacements of data sets, by name.
    few_points : bool
        If true, there are sqrt(N) inducing points; otherwise as many as the settings allow.
    prior : str
        The prior of the coefficients of PLS: "gp" is the Gaussian process whose hyperparameters are fitted.
    """

    scale_inputs: bool
    tempering: float
    stand_ins: dict[str, str]
    few_points: bool
    prior: str


PROTOCOLS = {
    "standardised": Protocol(True, 1.0, {}, False, "gp"),
    # The thesis's program uses unscaled inputs, twice the best variance factor, and heart data with duplicate rows.
    "thesis": Protocol(False, 2.0, {"heart": "heart-1025"}, True, "rkhs"),
}


def problem(row: str, protocol: str, split: int) -> Problem:
    """A row of the table under a protocol, with the thesis's split of this number.

    Targets of a regression have mean 0 and standard deviation 1 on the training rows. A classification has no
    validation rows.

    Raises
    ------
    ValueError
        If there is no such data set or protocol.
    MissingData
        If the file of the data is not there.
    """
    rules = look_up("protocol", protocol, PROTOCOLS)
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


def rows() -> list[str]:
    """The rows of the table, as names of data sets, in its order."""
    return PRINTED.rows()


def published(row: str, metric: str, model: str) -> tuple[float, float] | None:
    """The printed mean and standard deviation over five splits, or None where nothing is printed.

    Parameters
    ----------
    row : str
        One of `rows`.
    metric : str
        "nll" or "mae" of a regression, in nats and in standard deviations of y; "auc" or "accuracy", in per cent.
    model : str
        "pls" or "svgp".

    Raises
    ------
    ValueError
        If the table has no such row.
    """
    if not isinstance(metric, str) or not isinstance(model, str):
        raise arguments.refuse("metric or model", (metric, model), 'a name such as "nll" or "pls"')
    return PRINTED.published(row, model, metric)
