"""Settings of the table of Gaussian Wasserstein inference."""

from __future__ import annotations

from dataclasses import dataclass

from particlegvi.tables.many_splits import ManySplits
from particlegvi.tables.wasserstein import printed
from particlegvi.tables.wasserstein.problems import FEW_SPLITS, PROTOCOLS, SELECTED

MODELS = ("gwi-net", "gwi-svgp", "net-constant", "gwi-net-50", "svgp", "gp", "linear")


@dataclass(frozen=True)
class WassersteinSettings(ManySplits):
    """The settings of the table, checked.

    Attributes
    ----------
    rows : tuple of str
        Data sets.
    models : tuple of str
        "gwi-net" and "gwi-svgp" are the printed ones; "net-constant" is the network of gwi-net with one variance
        everywhere, "gwi-net-50" has layers of fifty units in the place of ten, "svgp" is the sparse variational
        process, "gp" the exact one, of at most 2000 rows, "linear" least squares. "gwi-net-50" and "gp" are under the
        protocol "standardised" alone.
    protocols : tuple of str
        "standardised", "thesis", and "best-of-30", which is for the networks, on boston, yacht and concrete alone.
    splits, first_split : int
        How many splits, and the number of the first.
    inducing_points : int
        The most under the protocol "standardised".
    seed : int

    Raises
    ------
    ValueError
        If a name does not exist, a list is empty or holds a name twice, or a number is not a whole one in its range.
    """

    rows: tuple[str, ...] = tuple(printed.rows())
    models: tuple[str, ...] = MODELS
    protocols: tuple[str, ...] = PROTOCOLS
    splits: int = 10
    first_split: int = 0
    inducing_points: int = 400
    seed: int = 0

    least = {"splits": (1, 1000), "first_split": (0, 1000), "inducing_points": (1, 100_000), "seed": (0, 2**31)}
    few_splits = FEW_SPLITS
    models_by_protocol = {
        "standardised": MODELS,
        "thesis": ("gwi-net", "gwi-svgp", "net-constant", "svgp", "linear"),
        "best-of-30": ("gwi-net", "net-constant"),
    }
    rows_by_protocol = {"best-of-30": SELECTED}

    def __post_init__(self) -> None:
        self.check({"rows": printed.rows(), "models": MODELS, "protocols": PROTOCOLS})
