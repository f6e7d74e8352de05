"""The settings of a table, and its tasks: a model on a row under a protocol and a split."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NamedTuple, Self

from particlegvi.contracts import Facts
from particlegvi.tools import arguments
from particlegvi.tools.registry import check_parameters, look_up
from particlegvi.version import __version__

NAMES = "a list of at least one name, none twice"


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
