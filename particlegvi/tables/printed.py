"""The numbers that the thesis prints in its Table 6.2, from the TOML file of the same name."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from particlegvi.tools import arguments
from particlegvi.tools.registry import look_up

# How each metric is written: as it is printed, and which way is better.
HIGHER = {"auc", "accuracy"}
PERCENT = {"auc", "accuracy"}
TITLES = {
    "nll": "Negative log-likelihood",
    "mae": "Mean absolute error",
    "auc": "Area under the curve (%)",
    "accuracy": "Accuracy (%)",
}


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("printed.toml").read_text(encoding="utf-8"))


def rows() -> list[str]:
    """The rows of the table, as names of data sets, in its order."""
    return list(_table())


def title(row: str) -> str:
    """A row's name as printed."""
    return look_up("row of the table", row, _table())["title"]


def metrics(row: str) -> list[str]:
    """The two metrics that the table prints of a row, the one that judges it first."""
    return [key for key in look_up("row of the table", row, _table()) if key != "title"]


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
        raise arguments.refuse("metric or model", (metric, model), "a name such as \"nll\" or \"pls\"")
    pair = look_up("row of the table", row, _table()).get(metric, {}).get(model)
    return None if pair is None else (pair[0], pair[1])


def holds_up(row: str, mean: float) -> bool:
    """Whether a mean of a row's first metric is at most one printed standard deviation worse than the thesis's PLS."""
    metric = metrics(row)[0]
    printed = published(row, metric, "pls")
    assert printed is not None  # every row prints PLS
    return mean >= printed[0] - printed[1] if metric in HIGHER else mean <= printed[0] + printed[1]
