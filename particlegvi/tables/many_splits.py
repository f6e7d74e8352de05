"""Settings of a table whose models have many splits: what its forms share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, Self

from particlegvi.contracts import Facts
from particlegvi.tools import arguments
from particlegvi.tools.registry import check_parameters, look_up
from particlegvi.version import __version__

CONTENT = ("rows", "models", "protocols", "splits", "first_split")  # what is in the table; the rest makes its cells
NAMES = "a list of at least one name, none twice"


class ManySplits:
    """The base of frozen dataclasses with these fields first; a subclass says which names and numbers are allowed."""

    rows: tuple[str, ...]
    models: tuple[str, ...]
    protocols: tuple[str, ...]
    splits: int
    first_split: int

    least: ClassVar[Mapping[str, tuple[int, int]]]  # the range of each number
    few_splits: ClassVar[Mapping[str, int]] = {}  # the most that a row has
    models_by_protocol: ClassVar[Mapping[str, tuple[str, ...]]]
    rows_by_protocol: ClassVar[Mapping[str, tuple[str, ...]]] = {}  # where a protocol has some of them alone

    @classmethod
    def of(cls, given: Mapping[str, object]) -> Self:
        """From a mapping, such as a table of a TOML file; what is missing takes its default."""
        if not isinstance(given, Mapping):
            raise arguments.refuse("settings", given, f"a mapping, or {cls.__name__}")
        check_parameters("the table", given, list(cls.__annotations__))
        return cls(**given)

    def check(self, known: Mapping[str, Iterable[str]]) -> None:
        """Check the names, of which ``known`` has all, and the numbers."""
        for key, names in known.items():
            object.__setattr__(self, key, _names(key, vars(self)[key], names))
        for key, (least, most) in self.least.items():
            object.__setattr__(self, key, arguments.whole(key, vars(self)[key], least, most))

    def facts(self) -> Facts:
        """All settings by name."""
        return dict(vars(self))

    def splits_of(self, row: str) -> range:
        """The splits of a row."""
        return range(self.first_split, self.first_split + min(self.splits, self.few_splits.get(row, self.splits)))

    def models_of(self, protocol: str, row: str | None = None) -> tuple[str, ...]:
        """The models under a protocol, and on a row where one is given."""
        if row is not None and row not in self.rows_by_protocol.get(protocol, (row,)):
            return ()
        return tuple(model for model in self.models if model in self.models_by_protocol[protocol])

    def fits(self, model: str) -> Facts:
        """All that the scores of a cell of a model depend on but the cell: some of the settings, and the version."""
        return {"version": __version__, **{key: each for key, each in vars(self).items() if key not in CONTENT}}


def _names(key: str, chosen: object, known: Iterable[str]) -> tuple[str, ...]:
    if not isinstance(chosen, list | tuple) or not chosen or not all(isinstance(name, str) for name in chosen):
        raise arguments.refuse(key, chosen, NAMES)
    if len(set(chosen)) < len(chosen):
        raise arguments.refuse(key, chosen, NAMES)
    for name in chosen:
        look_up(key.removesuffix("s") + " of the table", name, dict.fromkeys(known))
    return tuple(chosen)
