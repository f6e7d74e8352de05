"""Settings of a table and of its models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from particlegvi.contracts import Facts
from particlegvi.tables import models, printed
from particlegvi.tables.problems import PROTOCOLS
from particlegvi.tools import arguments
from particlegvi.tools.registry import check_parameters, look_up
from particlegvi.version import __version__

CONTENT = ("rows", "models", "protocols", "splits", "first_split")  # what is in the table; the rest makes its cells

NAMES = "a list of at least one name, none twice"
LEAST = {"splits": 1, "first_split": 0, "inducing_points": 1, "particles": 2, "subsets": 1, "seed": 0}
MOST = 2**31 - 1
MOST_SPLITS = 10_000  # with 96 cells each their list still fits


@dataclass(frozen=True)
class Settings:
    """The settings of a table, checked.

    Attributes
    ----------
    rows : tuple of str
        Data sets, by the names of the printed table's rows.
    models : tuple of str, or dict
        "pls", "svgp", "linear" (ordinary least squares, or logistic regression). As a dict it holds each model's own
        settings, such as ``{"pls": {"particles": 50}, "linear": {}}``; each goes before the shared one below.
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
    models: tuple[str, ...] | dict[str, Facts] = field(default=("pls", "svgp", "linear"), hash=False)
    protocols: tuple[str, ...] = ("standardised", "thesis")
    splits: int = 5
    first_split: int = 0
    inducing_points: int = 400
    particles: int = 100
    subsets: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", _names("rows", self.rows, printed.rows()))
        object.__setattr__(self, "models", _models(self.models))
        object.__setattr__(self, "protocols", _names("protocols", self.protocols, PROTOCOLS))
        for key, least in LEAST.items():
            number = getattr(self, key)
            most = MOST_SPLITS if key == "splits" else MOST
            if type(number) is not int or not least <= number <= most:
                raise arguments.refuse(key, number, f"a whole number from {least} to {most}")

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """From a mapping, such as a table of a TOML file; what is missing takes its default."""
        if not isinstance(given, Mapping):
            raise arguments.refuse("settings", given, "a mapping, or Settings")
        check_parameters("the table", given, [each.name for each in fields(cls)])
        return cls(**given)

    def own(self, model: str) -> Facts:
        """The settings that this model alone has; none where ``models`` is a list."""
        return dict(self.models.get(model, {})) if isinstance(self.models, dict) else {}

    def fits(self, model: str) -> Facts:
        """All that the scores of a cell of a model depend on but the cell: settings, and the version of the package.

        The model's own settings are in it as ``own`` where there are any.
        """
        shared = {key: value for key, value in asdict(self).items() if key not in CONTENT}
        own = self.own(model)
        return {"version": __version__, **shared, **({"own": own} if own else {})}


def _names(key: str, chosen: Any, known: Iterable[str], allowed: str = NAMES) -> tuple[str, ...]:
    listed = isinstance(chosen, list | tuple) and all(isinstance(name, str) for name in chosen)
    if not listed or not chosen or len(set(chosen)) < len(chosen):
        raise arguments.refuse(key, chosen, allowed)
    for name in chosen:
        look_up(key.removesuffix("s") + " of the table", name, dict.fromkeys(known))
    return tuple(chosen)


def _models(chosen: Any) -> tuple[str, ...] | dict[str, Facts]:
    """The names alone where no model has settings of its own, so that both forms of one table are equal."""
    allowed = f"{NAMES}, or a table of at least one model's settings by its name"
    if not isinstance(chosen, Mapping) or not chosen:
        return _names("models", chosen, models.names(), allowed)
    names = _names("models", list(chosen), models.names(), allowed)
    own = {}
    for name, given in chosen.items():
        if not isinstance(given, Mapping):
            raise arguments.refuse(f"models.{name}", given, "a table of the model's own settings")
        own[name] = models.get(name).checked(given, f"models.{name}") if given else {}
    return own if any(own.values()) else names
