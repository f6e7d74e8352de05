"""The grid of a sweep: settings by their values of the swept keys, and one cell of each setting for each seed."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from particlegvi.contracts import Facts
from particlegvi.scenario import decisive, kinds, load
from particlegvi.settings import grids
from particlegvi.tools.registry import nearest

FEW = 1000  # settings that are built before anything is computed; of a larger grid only those along each key
MOST_CELLS = 10_000_000


class Setting(NamedTuple):
    """A point of the grid."""

    values: tuple[object, ...]  # values of the swept keys
    scenario: Facts  # the complete scenario
    identity: Facts  # the parts of scenario and versions on which the numbers depend


class Cell(NamedTuple):
    """One run of the sweep: the sha256 of resolved scenario, seed and versions, and these."""

    name: str
    setting: Setting
    seed: int

    @property
    def identity(self) -> Facts:
        return {**self.setting.identity, "seed": self.seed}

    def __hash__(self) -> int:
        return hash(self.name)


class Grid:
    """The settings and seeds of a sweep, from a complete scenario, whose own table ``sweep`` is ignored.

    ``over`` has values by key, as `particlegvi.settings.grids.values` takes them, and the attribute ``over`` has them
    as lists. A key is one of the scenario with dots, in which ``*`` stands for every entry of a table or a list:
    ``methods.*.kl_weight`` is set where it is there. ``targets`` has the keys of the scenario that each key stands for,
    and ``versions`` those of the packages on which the numbers depend.
    """

    def __init__(self, scenario: Facts, over: Mapping[str, object], seeds: list[int], versions: dict[str, str]) -> None:
        self.scenario = {key: value for key, value in scenario.items() if key != "sweep"}
        self.over = {key: grids.values(values, f"over.{key}") for key, values in over.items()}
        self.seeds = seeds
        self.versions = {name: version for name, version in versions.items() if name != "python"}
        self.targets = {key: _expanded(self.scenario, key) for key in self.over}
        for key, values in over.items():
            if isinstance(values, str | dict):
                self.over[key] = _whole_if_asked(self.scenario, self.targets[key], self.over[key])
        every = [target for targets in self.targets.values() for target in targets]
        twice = next((target for target in every if every.count(target) > 1), None)
        if twice is not None:
            raise ValueError(f"over must set each key of the scenario once, not {twice} twice")
        if self.size > MOST_CELLS:
            raise ValueError(f"a sweep must have at most {MOST_CELLS:,} cells, not {self.size:,}")

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values of each key."""
        return tuple(len(values) for values in self.over.values())

    @property
    def size(self) -> int:
        """The number of cells."""
        return math.prod(self.shape) * len(self.seeds)

    def settings(self) -> Iterator[Setting]:
        """Every setting, the last key fastest."""
        return map(self.setting, itertools.product(*self.over.values()))

    def setting(self, values: tuple[object, ...]) -> Setting:
        """The setting with these values; a ValueError that names a value which the scenario refuses."""
        changes = {target: value for key, value in zip(self.over, values, strict=True) for target in self.targets[key]}
        try:
            scenario = load(self.scenario, changes)
        except ValueError as error:
            raise ValueError(f"{self.scenario['name']}: {str(error).removeprefix('scenario: ')}") from None
        return Setting(values, scenario, {"scenario": numbers_of(scenario), "versions": self.versions})

    def cells(self, setting: Setting) -> list[Cell]:
        """The cells of a setting in the order of the seeds."""
        begun = hashlib.sha256(json.dumps(setting.identity, sort_keys=True).encode())
        cells = []
        for seed in self.seeds:
            digest = begun.copy()
            digest.update(b" seed %d" % seed)
            cells.append(Cell(digest.hexdigest(), setting, seed))
        return cells

    def check(self) -> None:
        """Build the settings before anything is computed: all of them, or in a large grid those along each key.

        A ValueError if one of them cannot be built, or needs more memory or disk than there is.
        """
        if math.prod(self.shape) <= FEW:
            chosen = list(itertools.product(*self.over.values()))
        else:
            first = tuple(values[0] for values in self.over.values())
            chosen = [
                (*first[:place], value, *first[place + 1 :])
                for place, values in enumerate(self.over.values())
                for value in values[:FEW]
            ]
        for values in chosen:
            scenario = self.setting(values).scenario
            try:
                kinds.of(scenario).check(kinds.build(scenario), scenario, None)
            except ValueError as error:
                where = ", ".join(f"{key} = {value}" for key, value in zip(self.over, values, strict=True))
                raise type(error)(f"{self.scenario['name']}{f' at {where}' if where else ''}: {error}") from None


def numbers_of(scenario: Facts) -> Facts:
    """The part of a complete scenario on which the numbers depend: no name, no words, and 1 for 1.0."""
    return {key: _same_numbers(value) for key, value in decisive(scenario).items() if key != "name"}


def _same_numbers(value: object) -> object:
    """Data in which 1 and 1.0 are one number: they give the same cell."""
    if isinstance(value, dict):
        return {key: _same_numbers(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_same_numbers(entry) for entry in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


def _whole_if_asked(scenario: Facts, targets: list[str], values: list[object]) -> list[object]:
    """The values of a range; the nearest whole numbers if its ends are whole and the keys take only whole numbers."""
    rounded: list[object] = [round(value) for value in values if isinstance(value, int | float)]
    broken = next((place for place, value in enumerate(values) if value != rounded[place]), None)
    if broken in (None, 0, len(values) - 1) or len(set(map(repr, rounded))) < len(values):
        return values
    for chosen in (values, rounded):
        try:
            load(scenario, dict.fromkeys(targets, chosen[broken]))
            return chosen
        except ValueError:
            continue
    return values  # refused for another reason, which `check` reports


def _expanded(scenario: Facts, key: str) -> list[str]:
    """The keys of the scenario that a key with ``*`` stands for; any other key stands for itself."""
    if not isinstance(key, str) or "*" not in key.split("."):
        return [key]
    places: list[tuple[str, object]] = [("", scenario)]
    names: set[str] = set()
    for step in key.split("."):
        below: list[tuple[str, object]] = []
        for way, place in places:
            entries = _entries(place)
            names |= {name for name in entries if step != "*"}
            chosen = entries if step == "*" else {step: entries[step]} if step in entries else {}
            below += [(f"{way}.{name}".lstrip("."), value) for name, value in chosen.items()]
        places = below
    if not places:
        near = nearest(key.rpartition(".")[2], names)
        raise ValueError(f"over must name keys of the scenario, not {key}{f'; did you mean {near}?' if near else ''}")
    return [way for way, _ in places]


def _entries(place: object) -> Facts:
    if isinstance(place, dict):
        return place
    return {str(number): value for number, value in enumerate(place)} if isinstance(place, list) else {}
