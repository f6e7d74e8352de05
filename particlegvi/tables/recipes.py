"""What makes the problems, the cells and the text of a table: the forms of the two, and the recipe of Table 5.1."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from particlegvi.tables.ensembles import problems as of_ensembles
from particlegvi.tables.ensembles import scores
from particlegvi.tables.ensembles.rendering import EnsembleTable
from particlegvi.tables.ensembles.settings import EnsembleSettings
from particlegvi.tables.rendering import Table
from particlegvi.tables.settings import Settings

AnySettings: TypeAlias = Settings | EnsembleSettings
AnyTable: TypeAlias = Table | EnsembleTable


class Recipe(NamedTuple):
    """How a table is made.

    Attributes
    ----------
    problem : callable
        ``problem(row, protocol, split)``, which the models of one group share.
    measure : callable
        ``measure(cell, settings, problem)`` gives the scores.
    table : callable
        ``table(settings, scores)`` gives the table of finished cells.
    """

    problem: Callable[[str, str, int], object]
    measure: Callable[..., dict[str, float]]
    table: Callable[..., AnyTable]


ENSEMBLES = Recipe(of_ensembles.problem, scores.measure, EnsembleTable)


def settings_of(given: object) -> AnySettings:
    """Settings as they are, or from a mapping those of Table 6.2."""
    if isinstance(given, Settings | EnsembleSettings):
        return given
    return Settings.of(given)  # type: ignore[arg-type]


def splits_of(settings: AnySettings, row: str) -> range:
    """The splits of a row."""
    if isinstance(settings, EnsembleSettings):
        return settings.splits_of(row)
    return range(settings.first_split, settings.first_split + settings.splits)


def models_of(settings: AnySettings, protocol: str) -> tuple[str, ...]:
    """The models under a protocol."""
    return settings.models_of(protocol) if isinstance(settings, EnsembleSettings) else tuple(settings.models)
