"""The numbers of a panel, which tables hand to their pictures."""

from __future__ import annotations

from typing import NamedTuple

from particlegvi.contracts import Array


class ScorePanel(NamedTuple):
    """One score of a benchmark table as a picture shows it."""

    metric: str
    rows: list[str]  # titles of the data sets that have the score
    # by (model, protocol) the means and standard deviations over the finished splits, (rows,); NaN where there are none
    series: dict[tuple[str, str], tuple[Array, Array]]
    printed: tuple[tuple[str, str], ...]  # the keys of the series that the thesis prints


class CurvePanel(NamedTuple):
    """One score of one data set against the number of inducing points."""

    metric: str
    title: str  # title of the data set
    sizes: Array  # (sizes,)
    # by model median, lowest and highest value over the trials, (sizes,) each; NaN where none is finished
    series: dict[str, tuple[Array, Array, Array]]
