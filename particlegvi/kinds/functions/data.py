"""The data of a scenario: drawn from a function that is typed as a formula, given as points, or a data set by name."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from particlegvi import datasets
from particlegvi.contracts import Array, Facts, Likelihood
from particlegvi.functionspace.preprocessing import column_sd
from particlegvi.losses.loss import Loss

STREAM = 6  # keeps the draws of the data apart from what else comes from a run's seed


class Data(NamedTuple):
    """The source of the data.

    Attributes
    ----------
    inputs : int
        Coordinates of an input.
    X, y : arrays or None
        None where they are drawn.
    truth : Loss or None
        The function behind them, where it is known.
    settings : dict
        The entry of the scenario.
    """

    inputs: int
    X: Array | None
    y: Array | None
    truth: Any
    settings: Facts

    def drawn(self, likelihood: Likelihood, seed: int) -> tuple[Array, Array]:
        """Inputs (n, inputs) and targets (n,): the targets are draws of the likelihood at the true function."""
        if self.X is not None and self.y is not None:
            return self.X, self.y
        low, high, count = (self.settings[key] for key in ("low", "high", "count"))
        random = np.random.default_rng([STREAM, seed])
        x = np.linspace(low, high, count)
        if self.settings["scattered"]:
            x = np.sort(random.uniform(low, high, count))
        for left, right in self.settings["gaps"]:
            x = x[(x < left) | (x > right)]
        if not len(x):
            raise ValueError("data.gaps leaves no point; at least one is needed")
        f = self.value(x[:, None])
        if not np.all(np.isfinite(f)):
            raise ValueError(f"data.formula is not finite at x = {x[np.argmin(np.isfinite(f))]:g}")
        return x[:, None], np.asarray(likelihood.sample(f, random), dtype=np.float64)

    def value(self, X: Array) -> Array:
        """The true function, (n,)."""
        return np.asarray(self.truth.value(X), dtype=np.float64)


def resolve(settings: Facts) -> Data:
    """The data of a checked entry.

    Raises
    ------
    ValueError
        If the formula is none, or the data set does not exist or is not there.
    """
    if "formula" in settings:
        return Data(1, None, None, Loss.from_formula(settings["formula"], ["x"]), settings)
    if "points" in settings:
        table = np.array(settings["points"], dtype=np.float64)
        return Data(table.shape[1] - 1, table[:, :-1], table[:, -1], None, settings)
    found = datasets.load(settings["name"])
    X, y = found.X, found.y
    if settings["scale"]:
        X = (X - X.mean(axis=0)) / column_sd(X)
        y = (y - y.mean()) / column_sd(y) if found.task == "regression" else y
    return Data(X.shape[1], X, y, None, settings)
