"""Settings of Table 6.2 and of its models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from particlegvi.contracts import Facts
from particlegvi.scenario.tables.functions import models
from particlegvi.scenario.tables.functions.protocols import PRINTED, PROTOCOLS
from particlegvi.scenario.tables.settings import NAMES, TableSettings, checked_names
from particlegvi.tools import arguments

MOST = 2**31 - 1


@dataclass(frozen=True)
class ProjectedSettings(TableSettings):
    """The settings of a table of projected Langevin sampling, checked.

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
        Number of splits, and the number of the first; the thesis has five, from 0.
    inducing_points : int
        Largest number of inducing points of PLS and SVGP under the standardised protocol.
    particles : int
        Number J of function samples of PLS.
    subsets : int
        Largest number of subsets of rows on which the thesis's protocol fits hyperparameters; the thesis has 10 in
        regression, 5 in classification.
    seed : int
        Seed of the sampler, of the choice of inducing points, and of the subsets for hyperparameters.
    """

    rows: tuple[str, ...] = tuple(PRINTED.rows())
    models: tuple[str, ...] | dict[str, Facts] = field(default=("pls", "svgp", "linear"), hash=False)  # type: ignore[assignment]
    protocols: tuple[str, ...] = ("standardised", "thesis")
    splits: int = 5
    first_split: int = 0
    inducing_points: int = 400
    particles: int = 100
    subsets: int = 2
    seed: int = 0

    ranges = {
        "splits": (1, 10_000), "first_split": (0, MOST), "inducing_points": (1, MOST), "particles": (2, MOST),
        "subsets": (1, MOST), "seed": (0, MOST),
    }  # fmt: skip

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", _models(self.models))
        self.check({"rows": PRINTED.rows(), "protocols": PROTOCOLS})

    def own(self, model: str) -> Facts:
        """The model's own settings; empty if ``models`` is a list."""
        return dict(self.models.get(model, {})) if isinstance(self.models, dict) else {}

    def fits(self, model: str) -> Facts:
        """The settings and the version that determine the scores of a model, with its own settings as ``own``."""
        own = self.own(model)
        return {**super().fits(model), **({"own": own} if own else {})}


def _models(chosen: object) -> tuple[str, ...] | dict[str, Facts]:
    """Turn ``models`` into a tuple of names if no model has its own settings, so that equal tables compare equal."""
    allowed = f"{NAMES}, or a table of at least one model's settings by its name"
    if not isinstance(chosen, Mapping) or not chosen:
        return checked_names("models", chosen, models.names(), allowed)
    names = checked_names("models", list(chosen), models.names(), allowed)
    own = {}
    for name, given in chosen.items():
        if not isinstance(given, Mapping):
            raise arguments.refuse(f"models.{name}", given, "a table of the model's own settings")
        own[name] = models.get(name).checked(given, f"models.{name}") if given else {}
    return own if any(own.values()) else names
