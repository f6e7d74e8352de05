"""The input of a table: its settings and tasks, the problem of a task and its predictions, and the printed numbers."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array, Facts
from particlegvi.functionspace.preprocessing import column_sd
from particlegvi.tools import arguments
from particlegvi.tools.registry import check_parameters, look_up
from particlegvi.version import __version__

NAMES = "a list of at least one name, none twice"
Shared = TypeVar("Shared")


class Task(NamedTuple):
    """One measurement of a table; its scores are a cell."""

    row: str
    model: str
    protocol: str
    split: int

    @property
    def name(self) -> str:
        """The name of the file of its cell."""
        return f"{self.row}.{self.model}.{self.protocol}.{self.split}"


class TableSettings:
    """The base of frozen dataclasses with these fields; a subclass says which names and numbers are allowed."""

    rows: tuple[str, ...]
    models: tuple[str, ...]
    protocols: tuple[str, ...]
    splits: int
    first_split: int

    ranges: ClassVar[Mapping[str, tuple[int, int]]]  # allowed ranges of the numbers
    few_splits: ClassVar[Mapping[str, int]] = {}  # the largest number of splits of some rows
    models_by_protocol: ClassVar[Mapping[str, tuple[str, ...]]] = {}  # where a protocol has some models alone
    rows_by_protocol: ClassVar[Mapping[str, tuple[str, ...]]] = {}  # where a protocol has some rows alone
    # Settings that choose the cells of a table. The scores of a cell depend on the others.
    choices: ClassVar[tuple[str, ...]] = ("rows", "models", "protocols", "splits", "first_split")

    @classmethod
    def of(cls, given: Mapping[str, object]) -> Self:
        """From a mapping, such as a table of a TOML file; missing keys take their defaults."""
        if not isinstance(given, Mapping):
            raise arguments.refuse("settings", given, f"a mapping, or {cls.__name__}")
        check_parameters("the table", given, inspect.signature(cls).parameters)
        return cls(**given)

    def check(self, known: Mapping[str, Iterable[str]]) -> None:
        """Check the lists of names, for each of which ``known`` has the allowed names, and the numbers."""
        for key, names in known.items():
            object.__setattr__(self, key, checked_names(key, vars(self)[key], names))
        for key, (least, most) in self.ranges.items():
            object.__setattr__(self, key, arguments.whole(key, vars(self)[key], least, most))

    def facts(self) -> Facts:
        """All settings by name."""
        return {name: vars(self)[name] for name in inspect.signature(type(self)).parameters}

    def fits(self, model: str) -> Facts:
        """The settings and the version that determine the scores of a model."""
        return {"version": __version__, **{key: each for key, each in self.facts().items() if key not in self.choices}}

    def splits_of(self, row: str) -> range:
        """The splits of a row."""
        return range(self.first_split, self.first_split + min(self.splits, self.few_splits.get(row, self.splits)))

    def models_of(self, protocol: str, row: str | None = None) -> tuple[str, ...]:
        """The models under a protocol, and on a row where one is given."""
        if row is not None and row not in self.rows_by_protocol.get(protocol, (row,)):
            return ()
        known = self.models_by_protocol.get(protocol, self.models)
        return tuple(model for model in self.models if model in known)

    def problems(self) -> list[tuple[Task, ...]]:
        """All tasks, in one tuple for each problem, whose models share work; one split of all rows comes together."""
        return [
            tuple(Task(row, model, protocol, split) for model in self.models_of(protocol, row))
            for split in range(self.first_split, self.first_split + self.splits)
            for protocol in self.protocols
            for row in self.rows
            if split in self.splits_of(row) and self.models_of(protocol, row)
        ]


def checked_names(key: str, chosen: Any, known: Iterable[str], allowed: str = NAMES) -> tuple[str, ...]:
    """A list of names, each of which is known and none twice."""
    listed = isinstance(chosen, list | tuple) and all(isinstance(name, str) for name in chosen)
    if not listed or not chosen or len(set(chosen)) < len(chosen):
        raise arguments.refuse(key, chosen, allowed)
    for name in chosen:
        look_up(f"{key.removesuffix('s')} of the table", name, dict.fromkeys(known))
    return tuple(chosen)


class Part(NamedTuple):
    """Inputs (n, dim) and targets (n,) of some rows."""

    X: Array
    y: Array


NO_ROWS = Part(np.empty((0, 0)), np.empty(0))


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A row of a table under a protocol and a split."""

    row: str
    protocol: str
    split: int
    train: Part  # inputs and targets, scaled by the protocol
    test: Part
    validation: Part = NO_ROWS
    task: str = "regression"  # "regression" or "classification"
    scale: float = 1.0  # factor from the scaled targets of a regression to the original unit
    leaked: float = 0.0  # the share of the test rows that were trained on
    seed: int = 0  # the seed of random choices in this problem
    shared: dict[str, Any] = field(default_factory=dict)  # results that its models share; see `once`

    def once(self, name: str, find: Callable[[], Shared]) -> Shared:
        """The result of ``find``, which is called once for all models of the problem."""
        if name not in self.shared:
            self.shared[name] = find()
        found: Shared = self.shared[name]
        return found


class Numbers(NamedTuple):
    """Predicted observations, noise included: means and standard deviations, on the test and the validation rows."""

    mean: Array
    sd: Array
    validation_mean: Array
    validation_sd: Array


class Classes(NamedTuple):
    """The probability of label 1 on the test rows."""

    probability: Array


def scaled(values: Array, base: NDArray[np.intp], ddof: int = 0) -> Array:
    """Values (n,) or (n, dim) with mean 0 and standard deviation 1 on the rows ``base``; constant columns have 0."""
    return np.asarray((values - values[base].mean(axis=0)) / column_sd(values[base], ddof))


class PrintedTable:
    """A printed table, from a TOML file.

    The file has a table for each row: its ``title``, and a pair of numbers for each model, or for each metric a table
    of such pairs.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def _table(self) -> Facts:
        return tomllib.loads(self.path.read_text(encoding="utf-8"))

    def _row(self, row: str) -> Facts:
        found: Facts = look_up("row of the table", row, self._table)
        return found

    def rows(self) -> list[str]:
        """The data sets of the table, in its order."""
        return list(self._table)

    def printed_rows(self) -> list[str]:
        """The data sets with a printed number, without those that only have a title and metrics."""
        return [row for row, found in self._table.items() if any(found[key] for key in found if key != "title")]

    def title(self, row: str) -> str:
        """A row's name as printed."""
        return str(self._row(row)["title"])

    def metrics(self, row: str) -> list[str]:
        """The metrics that the table prints for a row; the first one judges the row."""
        return [key for key in self._row(row) if key != "title"]

    def published(self, row: str, model: str, metric: str = "") -> tuple[float, float] | None:
        """The printed number and the number printed after it; None where nothing is printed.

        Without a ``metric`` it is the negative log-likelihood of a table that prints no other metric.
        """
        models = self._row(row).get(metric, {}) if metric else self._row(row)
        pair = models.get(model)
        return None if pair is None else (float(pair[0]), float(pair[1]))
