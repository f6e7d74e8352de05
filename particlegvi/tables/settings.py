"""What a table holds and how its models are fitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from particlegvi.tables import models, printed
from particlegvi.tables.problems import PROTOCOLS
from particlegvi.tools import arguments
from particlegvi.tools.registry import check_parameters, look_up
from particlegvi.version import __version__

CONTENT = ("rows", "models", "protocols", "splits", "first_split")  # what is in the table; the rest makes its cells

LEAST = {"splits": 1, "first_split": 0, "inducing_points": 1, "particles": 2, "subsets": 1, "seed": 0}
MOST_SPLITS = 10_000  # with 96 cells each their list still fits


@dataclass(frozen=True)
class Settings:
    """The settings of a table, checked.

    Attributes
    ----------
    rows : tuple of str
        Data sets, by the names of the printed table's rows.
    models : tuple of str
        "pls", "svgp", "linear" (ordinary least squares, or logistic regression).
    protocols : tuple of str
        "standardised", "thesis".
    splits, first_split : int
        How many splits, and the number of the first; the thesis has five, from 0.
    inducing_points : int
        The most that PLS and SVGP have under the standardised protocol.
    particles : int
        J, of PLS.
    subsets : int
        At most so many subsets of rows that the thesis's protocol fits hyperparameters on; the thesis has 10 in
        regression, 5 in classification.
    seed : int
        Of the sampler, of the choice of inducing points, and of the subsets that hyperparameters are fitted on.

    Raises
    ------
    ValueError
        If a name does not exist, a list is empty or holds a name twice, or a number is not a whole one in its range.
    """

    rows: tuple[str, ...] = tuple(printed.rows())
    models: tuple[str, ...] = ("pls", "svgp", "linear")
    protocols: tuple[str, ...] = ("standardised", "thesis")
    splits: int = 5
    first_split: int = 0
    inducing_points: int = 400
    particles: int = 100
    subsets: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        for key, known in (("rows", printed.rows()), ("models", models.names()), ("protocols", list(PROTOCOLS))):
            chosen = getattr(self, key)
            listed = isinstance(chosen, list | tuple) and all(isinstance(name, str) for name in chosen)
            if not listed or not chosen or len(set(chosen)) < len(chosen):
                raise arguments.refuse(key, chosen, "a list of at least one name, none twice")
            for name in chosen:
                look_up(key.removesuffix("s") + " of the table", name, dict.fromkeys(known))
            object.__setattr__(self, key, tuple(chosen))
        for key, least in LEAST.items():
            number = getattr(self, key)
            most = MOST_SPLITS if key == "splits" else 2**31 - 1
            if type(number) is not int or not least <= number <= most:
                raise arguments.refuse(key, number, f"a whole number from {least} to {most}")

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """From a mapping, such as a table of a TOML file; what is missing takes its default."""
        if not isinstance(given, Mapping):
            raise arguments.refuse("settings", given, "a mapping, or Settings")
        check_parameters("the table", given, [field.name for field in fields(cls)])
        return cls(**given)

    def fits(self) -> dict[str, Any]:
        """What the scores of a cell depend on beside the cell: some of the settings, and the version of the package."""
        return {"version": __version__, **{k: value for k, value in asdict(self).items() if k not in CONTENT}}
