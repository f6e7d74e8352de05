"""Recipes of the problems, the cells and the text of a table: the form of all, and those of Tables 4.1 and 5.1."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from particlegvi.tables.ensembles import problems as of_ensembles
from particlegvi.tables.ensembles import scores as by_spread
from particlegvi.tables.ensembles.rendering import EnsembleTable
from particlegvi.tables.ensembles.settings import EnsembleSettings
from particlegvi.tables.rendering import Table
from particlegvi.tables.settings import Settings
from particlegvi.tables.wasserstein import problems as of_wasserstein
from particlegvi.tables.wasserstein import scores as by_likelihood
from particlegvi.tables.wasserstein.rendering import WassersteinTable
from particlegvi.tables.wasserstein.settings import WassersteinSettings

AnySettings: TypeAlias = Settings | EnsembleSettings | WassersteinSettings
AnyTable: TypeAlias = Table | EnsembleTable | WassersteinTable


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


ENSEMBLES = Recipe(of_ensembles.problem, by_spread.measure, EnsembleTable)
WASSERSTEIN = Recipe(of_wasserstein.problem, by_likelihood.measure, WassersteinTable)


def settings_of(given: object) -> AnySettings:
    """Settings as they are, or from a mapping those of Table 6.2."""
    if isinstance(given, Settings | EnsembleSettings | WassersteinSettings):
        return given
    return Settings.of(given)  # type: ignore[arg-type]


def splits_of(settings: AnySettings, row: str) -> range:
    """The splits of a row."""
    if not isinstance(settings, Settings):
        return settings.splits_of(row)
    return range(settings.first_split, settings.first_split + settings.splits)


def models_of(settings: AnySettings, protocol: str, row: str) -> tuple[str, ...]:
    """The models on a row under a protocol."""
    return tuple(settings.models) if isinstance(settings, Settings) else settings.models_of(protocol, row)
