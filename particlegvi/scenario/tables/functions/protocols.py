"""The settings of Table 6.2, and a data set under its protocols: the rows, the split, the scaling."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from particlegvi.contracts import Facts
from particlegvi.datasets import load, thesis_split
from particlegvi.scenario.tables.functions import models
from particlegvi.scenario.tables.settings import (
    NAMES,
    Part,
    PrintedTable,
    Problem,
    TableSettings,
    checked_names,
    scaled,
)
from particlegvi.tools import arguments

PRINTED = PrintedTable(Path(__file__).with_name("printed.toml"))
MOST = 2**31 - 1


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


def rows() -> list[str]:
    """The rows of the printed table, as names of data sets, in its order."""
    return PRINTED.printed_rows()


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
    """
    if not isinstance(metric, str) or not isinstance(model, str):
        raise arguments.refuse("metric or model", (metric, model), 'a name such as "nll" or "pls"')
    return PRINTED.published(row, model, metric)


@dataclass(frozen=True)
class ProjectedSettings(TableSettings):
    """The settings of a table of projected Langevin sampling, checked.

    Attributes
    ----------
    rows : tuple of str
        Data sets, by the names of the printed table's rows, or of sets that come with scikit-learn.
    models : tuple of str, or dict
        "pls", "svgp", "linear" (ordinary least squares, or logistic regression), "constant" (the mean of the
        rows). As a dict it holds each model's own settings, such as ``{"pls": {"particles": 50}, "linear": {}}``; each
        goes before the shared one below.
    protocols : tuple of str
        "standardised", "thesis".
    splits, first_split : int
        Number of splits, and the number of the first; the thesis has five, from 0.
    inducing_points : int
        Largest number of inducing points of PLS and SVGP under the standardised protocol.
    particles : int
        Number J of function samples of PLS.
    subsets : int
        Largest number of subsets of rows on which the thesis's protocol fits hyperparameters; the thesis has 10 in
        regression, 5 in classification.
    seed : int
        Seed of the sampler, of the choice of inducing points, and of the subsets for hyperparameters.
    """

    rows: tuple[str, ...] = tuple(PRINTED.printed_rows())
    models: tuple[str, ...] | dict[str, Facts] = field(default=("pls", "svgp", "linear"), hash=False)  # type: ignore[assignment]
    protocols: tuple[str, ...] = ("standardised", "thesis")
    splits: int = 5
    first_split: int = 0
    inducing_points: int = 400
    particles: int = 100
    subsets: int = 2
    seed: int = 0

    ranges = {
        "splits": (1, 10_000), "first_split": (0, MOST), "inducing_points": (1, MOST), "particles": (2, MOST),
        "subsets": (1, MOST), "seed": (0, MOST),
    }  # fmt: skip

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", _models(self.models))
        self.check({"rows": PRINTED.rows(), "protocols": PROTOCOLS})

    def own(self, model: str) -> Facts:
        """The model's own settings; empty if ``models`` is a list."""
        return dict(self.models.get(model, {})) if isinstance(self.models, dict) else {}

    def fits(self, model: str) -> Facts:
        """The settings and the version that determine the scores of a model, with its own settings as ``own``."""
        own = self.own(model)
        return {**super().fits(model), **({"own": own} if own else {})}


def _models(chosen: object) -> tuple[str, ...] | dict[str, Facts]:
    """Turn ``models`` into a tuple of names if no model has its own settings, so that equal tables compare equal."""
    allowed = f"{NAMES}, or a table of at least one model's settings by its name"
    if not isinstance(chosen, Mapping) or not chosen:
        return checked_names("models", chosen, models.names(), allowed)
    names = checked_names("models", list(chosen), models.names(), allowed)
    own = {}
    for name, given in chosen.items():
        if not isinstance(given, Mapping):
            raise arguments.refuse(f"models.{name}", given, "a table of the model's own settings")
        own[name] = models.get(name).checked(given, f"models.{name}") if given else {}
    return own if any(own.values()) else names
