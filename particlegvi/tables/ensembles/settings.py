"""Settings of the table of ensembles."""

from __future__ import annotations

from dataclasses import dataclass

from particlegvi.tables.ensembles import printed
from particlegvi.tables.ensembles.problems import AS_PRINTED, FEW_SPLITS, PROTOCOLS
from particlegvi.tables.many_splits import ManySplits

MODELS = ("de", "dle", "drle", "drle-outputs", "linear", "gp")
ENSEMBLES = ("de", "dle", "drle", "linear")


@dataclass(frozen=True)
class EnsembleSettings(ManySplits):
    """The settings of a table of ensembles, checked.

    Attributes
    ----------
    rows, models, protocols : tuple of str
        Data sets, models and protocols by name. "drle-outputs" and "gp" are under the protocol "standard" alone. The
        protocol "thesis-text" has to be asked for.
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

    least = {"splits": (1, 1000), "first_split": (0, 1000), "particles": (2, 1000), "steps": (1, 10**8),
             "seed": (0, 2**31)}  # fmt: skip
    few_splits = FEW_SPLITS
    # Under the thesis's protocols there are the models that it prints, and the line: a process would take hours.
    models_by_protocol = {"standard": MODELS, "thesis": ENSEMBLES, "thesis-leak": ENSEMBLES, AS_PRINTED: ENSEMBLES}

    def __post_init__(self) -> None:
        self.check({"rows": printed.rows(), "models": MODELS, "protocols": (*PROTOCOLS, AS_PRINTED)})
