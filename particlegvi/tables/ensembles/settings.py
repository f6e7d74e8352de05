"""Settings of the table of ensembles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Self

from particlegvi.contracts import Facts
from particlegvi.tables.ensembles import printed
from particlegvi.tables.ensembles.problems import FEW_SPLITS, PROTOCOLS
from particlegvi.tools import arguments
from particlegvi.tools.registry import check_parameters, look_up
from particlegvi.version import __version__

MODELS = ("de", "dle", "drle", "drle-outputs", "linear", "gp")
ENSEMBLES = ("de", "dle", "drle", "linear")
# Under the thesis's protocols there are the models that it prints, and the line: a process would take hours.
MODELS_OF = {"standard": MODELS, "thesis": ENSEMBLES, "thesis-leak": ENSEMBLES}
CONTENT = ("rows", "models", "protocols", "splits", "first_split")  # what is in the table; the rest makes its cells
NAMES = "a list of at least one name, none twice"
LEAST = {"splits": (1, 1000), "first_split": (0, 1000), "particles": (2, 1000), "steps": (1, 10**8), "seed": (0, 2**31)}


@dataclass(frozen=True)
class EnsembleSettings:
    """The settings of a table of ensembles, checked.

    Attributes
    ----------
    rows, models, protocols : tuple of str
        Data sets, models and protocols by name. "drle-outputs" and "gp" are under the protocol "standard" alone.
    splits, first_split : int
        How many splits, and the number of the first; protein has at most five.
    particles : int
        Networks of an ensemble.
    steps : int
        The most under the protocol "standard", where validation rows choose among this many, a quarter and a
        sixteenth; the thesis's protocols have 40 passes over the rows.
    seed : int

    Raises
    ------
    ValueError
        If a name does not exist, a list is empty or holds a name twice, or a number is not a whole one in its range.
    """

    rows: tuple[str, ...] = tuple(printed.rows())
    models: tuple[str, ...] = MODELS
    protocols: tuple[str, ...] = PROTOCOLS
    splits: int = 20
    first_split: int = 0
    particles: int = 5
    steps: int = 32_000
    seed: int = 0

    def __post_init__(self) -> None:
        for key, known in (("rows", printed.rows()), ("models", MODELS), ("protocols", PROTOCOLS)):
            object.__setattr__(self, key, _names(key, vars(self)[key], known))
        for key, (least, most) in LEAST.items():
            object.__setattr__(self, key, arguments.whole(key, vars(self)[key], least, most))

    @classmethod
    def of(cls, given: Mapping[str, object]) -> Self:
        """From a mapping, such as a table of a TOML file; what is missing takes its default."""
        if not isinstance(given, Mapping):
            raise arguments.refuse("settings", given, "a mapping, or EnsembleSettings")
        check_parameters("the table", given, [each.name for each in fields(cls)])
        return cls(**given)  # type: ignore[arg-type]

    def splits_of(self, row: str) -> range:
        """The splits of a row."""
        return range(self.first_split, self.first_split + min(self.splits, FEW_SPLITS.get(row, self.splits)))

    def models_of(self, protocol: str) -> tuple[str, ...]:
        """The models under a protocol."""
        return tuple(model for model in self.models if model in MODELS_OF[protocol])

    def fits(self, model: str) -> Facts:
        """What the scores of a model's cell depend on beside the cell: some of the settings, and the version."""
        return {"version": __version__, **{key: each for key, each in asdict(self).items() if key not in CONTENT}}


def _names(key: str, chosen: object, known: Iterable[str]) -> tuple[str, ...]:
    if not isinstance(chosen, list | tuple) or not chosen or not all(isinstance(name, str) for name in chosen):
        raise arguments.refuse(key, chosen, NAMES)
    if len(set(chosen)) < len(chosen):
        raise arguments.refuse(key, chosen, NAMES)
    for name in chosen:
        look_up(key.removesuffix("s") + " of the table", name, dict.fromkeys(known))
    return tuple(chosen)
