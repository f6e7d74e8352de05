"""The settings of a table: its declaration in a TOML file of this folder, its keys with their checks, and its tasks.

This file imports neither numpy nor a model, because every reading of a scenario imports it.
"""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple

from particlegvi.contracts import Facts
from particlegvi.settings import checks
from particlegvi.settings.keys import Key
from particlegvi.tools import plugins
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import check_parameters, one_of
from particlegvi.version import __version__

FUNCTIONS, APPROXIMATION = "functions", "approximation"
TABLES = (FUNCTIONS, "ensembles", "wasserstein", "linear", "digits", APPROXIMATION)
NAMES = "a list of at least one name, none twice"
NOTHING: Mapping[str, Any] = MappingProxyType({})


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


@dataclass(frozen=True)
class Declaration:
    """The content of the TOML file of a table, whose keys are these fields."""

    name: str
    settings: Facts  # the keys of its scenarios beside rows, models and protocols, with their default values
    rows: dict[
        str, Facts
    ]  # by name ``title``; ``scores`` of this row alone; printed pairs of numbers by score and model
    models: dict[str, str]  # the labels of the models that a table has by default
    scores: dict[str, str]  # the titles of the scores
    protocols: dict[str, Facts] = field(default_factory=dict)  # ``scores``, and ``rows``, ``models`` where it has some
    more_models: Sequence[str] = ()  # models that have to be asked for
    few_splits: dict[str, int] = field(default_factory=dict)  # the largest number of splits of some rows
    pictured: Sequence[str] = ()  # the scores of a picture; a protocol may have fewer
    compared: str = ""  # the model that the others are compared with
    compared_in: Sequence[str] = ()  # the scores whose differences the text has
    also_compared: Sequence[tuple[str, str]] = ()  # further pairs of models
    judged: Sequence[str] = ()  # the models that are judged by their printed numbers
    per_cent: Sequence[str] = ()  # scores in per cent; higher is better
    may_be_infinite: Sequence[str] = ()
    note: str = ""  # below the text

    def module(self) -> ModuleType:
        """The module with ``problem(row, protocol, split)`` and ``score(task, settings, problem)``."""
        return importlib.import_module(f"particlegvi.scenario.tables.{self.name}")

    def title(self, row: str) -> str:
        """A row's name as printed."""
        return str(self.rows.get(row, NOTHING).get("title", row))

    def label(self, model: str) -> str:
        """The name of a model in texts."""
        return self.models.get(model, model)

    def scores_of(self, row: str) -> list[str]:
        """The scores of a row; the first one judges it."""
        return list(self.rows.get(row, NOTHING).get("scores", self.scores))

    def published(self, row: str, model: str, score: str) -> tuple[float, float] | None:
        """The printed number and the number printed after it; None where nothing is printed."""
        pair = self.rows.get(row, NOTHING).get(score, NOTHING).get(model)
        return None if pair is None else (float(pair[0]), float(pair[1]))


@lru_cache
def declaration(name: str) -> Declaration:
    """The declaration of the table of this name."""
    return Declaration(name, **tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8")))


names = checks.list_of(checks.text(80), NAMES, distinct=True)
sizes = checks.list_of(checks.whole(1, 10_000), "a list of at least one whole number, none twice", distinct=True)
KEYS: dict[str, Key] = {
    "table": Key(
        checks.one_of(TABLES, "table"),
        "functions, Table 6.2, ensembles, Table 5.1, wasserstein, Table 4.1, linear, Figures 2-4 of Burt et al.,"
        " digits, images with classes held out, or approximation, Figures 3-5 of Huggins et al.",
        otherwise=FUNCTIONS,
    ),
    "rows": Key(names, "data sets", otherwise="all rows of the printed table"),
    "models": Key(names, "models", otherwise="all of the table"),
    "protocols": Key(names, "treatments of the data", otherwise="all of the table"),
    "splits": Key(checks.whole(1, 10_000), "number of splits"),
    "first_split": Key(checks.whole(0, 10_000), "number of the first split", otherwise="0"),
    "inducing_points": Key(checks.whole(1, 10**6), "largest number of each model under the standardised protocol"),
    "particles": Key(checks.whole(2, 10**6), "functions that PLS samples, or networks of an ensemble"),
    "steps": Key(checks.whole(1, 10**8), "most steps of ensembles under the protocol standard, or of Adam"),
    "sizes": Key(sizes, "numbers of inducing points", otherwise="4, 10, 21, 46 and 100"),
    "trials": Key(checks.whole(1, 1000), "the number of starts at random rows", otherwise="10"),
    "iterations": Key(checks.whole(1, 100_000), "the most iterations of a search for inducing points", otherwise="200"),
}
NUMBERS = ("inducing_points", "particles", "steps", "iterations")


def complete(own: Facts) -> Facts:
    """The settings of a table of this name with the defaults of its declaration; a key that it has not is refused."""
    declared = declaration(KEYS["table"].check(own["table"], "table"))
    printed = [row for row, entry in declared.rows.items() if set(entry) - {"title", "scores"}]
    defaults: Facts = {"rows": printed or list(declared.rows), "models": list(declared.models)}
    if declared.protocols:
        defaults["protocols"] = [name for name, entry in declared.protocols.items() if entry.get("default", True)]
    defaults |= declared.settings
    check_parameters(f"the table {declared.name}", own, ("table", *defaults, "seed"))
    return {**defaults, **own}


@dataclass(frozen=True)
class TableSettings:
    """The checked settings of a table; a number that the table does not use is 0."""

    table: str
    rows: tuple[str, ...]
    models: tuple[str, ...]
    protocols: tuple[str, ...]  # of approximations the numbers of inducing points, as texts
    splits: int  # of approximations the number of trials
    first_split: int = 0
    inducing_points: int = 0
    particles: int = 0
    steps: int = 0
    iterations: int = 0
    seed: int = 0

    @classmethod
    def of(cls, given: Mapping[str, object]) -> TableSettings:
        """From the keys of a scenario, with ``table``, the name of a table, and ``seed``; each may be missing."""
        if not isinstance(given, Mapping):
            raise refuse("settings", given, 'a table, such as {"table": "linear", "rows": ["yacht"]}')
        values = complete({"table": FUNCTIONS, **given})
        seed = checks.whole(0, 2**31)(values.pop("seed", 0), "seed")
        values |= {key: KEYS[key].check(value, key) for key, value in values.items() if key != "table"}
        declared = declaration(values["table"])
        known, rows = [*declared.models, *declared.more_models], [*declared.rows]
        if declared.name == FUNCTIONS:
            rows += plugins.names("datasets")
            known = importlib.import_module("particlegvi.scenario.tables.functions.models").names()
        _check_names("model", values["models"], known)
        _check_names("row", values["rows"], rows)
        if "sizes" in values:
            values["protocols"] = [str(size) for size in values.pop("sizes")]
            values["splits"] = values.pop("trials")
        else:
            _check_names("protocol", values["protocols"], declared.protocols)
        lists = {key: tuple(value) for key, value in values.items() if isinstance(value, list)}
        return cls(seed=seed, **{**values, **lists})

    @property
    def declared(self) -> Declaration:
        """The declaration of the table."""
        return declaration(self.table)

    def decisive(self) -> Facts:
        """The settings and the version that determine the scores of a cell."""
        return {"version": __version__, **{key: vars(self)[key] for key in (*NUMBERS, "seed")}}

    def splits_of(self, row: str) -> range:
        """The splits of a row."""
        number = min(self.splits, self.declared.few_splits.get(row, self.splits))
        return range(self.first_split, self.first_split + number)

    def models_of(self, protocol: str, row: str | None = None) -> tuple[str, ...]:
        """The models under a protocol, and on a row where one is given."""
        entry = self.declared.protocols.get(protocol, NOTHING)
        if row is not None and row not in entry.get("rows", (row,)):
            return ()
        return tuple(model for model in self.models if model in entry.get("models", self.models))

    def problems(self) -> list[tuple[Task, ...]]:
        """All tasks, in one tuple for each problem, whose models share work; one split of all rows comes together."""
        return [
            tuple(Task(row, model, protocol, split) for model in self.models_of(protocol, row))
            for split in range(self.first_split, self.first_split + self.splits)
            for protocol in self.protocols
            for row in self.rows
            if split in self.splits_of(row) and self.models_of(protocol, row)
        ]


def _check_names(kind: str, chosen: Iterable[str], known: Iterable[str]) -> None:
    for name in chosen:
        one_of(f"{kind} of the table", name, known)
