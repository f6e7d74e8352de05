"""The data of a scenario: draws around the function of a formula, given points, or a data set by name.

A formula is observed at points of an interval, in clusters of points of any number of coordinates, or by its means over
intervals and its slopes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from particlegvi import datasets
from particlegvi.contracts import Array, Facts, Likelihood
from particlegvi.functionspace import functionals as fl
from particlegvi.functionspace.preprocessing import column_sd
from particlegvi.losses.loss import Loss

STREAM = 6  # separates the draws of the data from other draws with the seed of the run


class Data(NamedTuple):
    """The source of the data."""

    inputs: int  # number of coordinates of an input
    X: Array | None  # given data; None if the data are drawn
    y: Array | None
    truth: Any  # the true function, if it is known
    settings: Facts  # the entry of the scenario

    def drawn(self, likelihood: Likelihood, seed: int) -> tuple[Array, Array]:
        """Inputs (n, inputs) and targets (n,): the targets are draws of the likelihood at the true function."""
        if self.X is not None and self.y is not None:
            return self.X, self.y
        random = np.random.default_rng([STREAM, seed])
        observed = self.observed()
        if observed is not None:
            y = np.asarray(likelihood.sample(observed.apply(self.value), random), dtype=np.float64)
            # an input for each functional: the centre of an interval, or the place of a slope
            centres = [0.5 * (low + high) for low, high in self.settings["intervals"]]
            return np.array([*centres, *self.settings["slopes"]], dtype=np.float64)[:, None], y
        if "clusters" in self.settings:
            X = self._clustered(random)
            return X, np.asarray(likelihood.sample(self._finite(X), random), dtype=np.float64)
        low, high, count = (self.settings[key] for key in ("low", "high", "count"))
        x = np.linspace(low, high, count)
        if self.settings["scattered"]:
            x = np.sort(random.uniform(low, high, count))
        for left, right in self.settings["gaps"]:
            x = x[(x < left) | (x > right)]
        if not len(x):
            raise ValueError("data.gaps must leave at least one point, not cover all of them")
        return x[:, None], np.asarray(likelihood.sample(self._finite(x[:, None]), random), dtype=np.float64)

    @property
    def rows(self) -> int:
        """The number of targets, before gaps are left out."""
        if self.y is not None:
            return len(self.y)
        if "count" in self.settings:
            return int(self.settings["count"])
        return len(self.settings["intervals"]) + len(self.settings["slopes"])

    @property
    def window(self) -> tuple[float, float] | None:
        """The interval that contains the functionals of one input; None for values at points."""
        if "intervals" not in self.settings:
            return None
        ends = [end for pair in self.settings["intervals"] for end in pair] + self.settings["slopes"]
        return min(ends), max(ends)

    def observed(self) -> fl.Functionals | None:
        """The observed functionals, means over intervals and then slopes; None if the data are values at points."""
        if "intervals" not in self.settings:
            return None
        sets: list[fl.Functionals] = []
        if self.settings["intervals"]:
            ends = np.array(self.settings["intervals"], dtype=np.float64)
            sets.append(fl.Intervals(ends[:, 0], ends[:, 1]))
        if self.settings["slopes"]:
            sets.append(fl.Slopes(np.array(self.settings["slopes"], dtype=np.float64)[:, None]))
        return sets[0] if len(sets) == 1 else fl.Union(*sets)

    def _clustered(self, random: np.random.Generator) -> Array:
        """Draw inputs from normal distributions around the centres, in equal shares."""
        centres, count = np.array(self.settings["clusters"], dtype=np.float64), self.settings["count"]
        X = centres[np.arange(count) % len(centres)]
        return np.asarray(X + self.settings["spread"] * random.standard_normal(X.shape))

    def _finite(self, X: Array) -> Array:
        f = self.value(X)
        if not np.all(np.isfinite(f)):
            at = X[np.argmin(np.isfinite(f))]
            raise ValueError(f"data.formula is not finite at x = {', '.join(f'{coordinate:g}' for coordinate in at)}")
        return f

    def value(self, X: Array) -> Array:
        """The true function, (n,)."""
        return np.asarray(self.truth.value(X), dtype=np.float64)


def resolve(settings: Facts) -> Data:
    """The data of a checked entry; a ValueError for a formula that is not valid, or for an unknown or missing set."""
    if "formula" in settings:
        inputs = len(settings["clusters"][0]) if "clusters" in settings else 1
        names = ["x"] if inputs == 1 else [f"x{number + 1}" for number in range(inputs)]
        return Data(inputs, None, None, Loss.from_formula(settings["formula"], names), settings)
    if "points" in settings:
        table = np.array(settings["points"], dtype=np.float64)
        return Data(table.shape[1] - 1, table[:, :-1], table[:, -1], None, settings)
    dataset = datasets.load(settings["name"])
    X, y = dataset.X, dataset.y
    if settings["scale"]:
        X = (X - X.mean(axis=0)) / column_sd(X)
        y = (y - y.mean()) / column_sd(y) if dataset.task == "regression" else y
    return Data(X.shape[1], X, y, None, settings)
