"""Figures that move: the artists of one figure are put where the particles were at any record, and nothing is redrawn.

A kind of figure that can move builds a `MovingFigure`, and its picture is that figure as it was built, at the last
record.
The `Clock` is the time in the heading, at every moment of a film.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Text
from numpy.typing import NDArray

from particlegvi.contracts import Array, Run
from particlegvi.diagnostics.particles import fitted_gaussian
from particlegvi.plotting.look import Look, localised, say
from particlegvi.plotting.protocols import ParticleRun

Follow: TypeAlias = Callable[[Array], None]  # puts artists where particles (n, dim) are, or (n,) on the line
Show: TypeAlias = Callable[[int], None]  # puts the artists of one run where its particles were at this record


class MovingFigure(NamedTuple):
    """A figure at the last record, and how each of its runs, by label, is put to another one."""

    figure: Figure
    runs: Mapping[str, Run]
    shows: Mapping[str, Show]
    clock: Text  # the time in the heading
    look: Look = Look()  # in which the figure was built


class Clock(NamedTuple):
    """The clock of the heading: the time that all runs share, or else the share of the way."""

    words: str  # "t = {}" or "{} of the steps"
    times: Array  # time or share at each record of the run with the most records
    shares: dict[str, Array]  # by label, the share of its steps that a run has done at its records; the last is 1

    def at(self, moment: int, shortest: float = 0.0) -> str:
        """The words at a record of the longest run, with decimals that tell times ``shortest`` apart."""
        time = float(self.times[moment])
        if moment in (-1, len(self.times) - 1):
            shown = f"{time:,.6g}" if self.words != SHARE else "100%"
        elif self.words == SHARE:
            shown = f"{time:.{decimals(100.0 * shortest)}%}"
        else:
            shown = f"{time:,.{decimals(shortest)}f}"
        return say(KEYS[self.words], value=localised(shown)) if self.words else ""

    def records(self, label: str, moments: NDArray[np.intp]) -> NDArray[np.intp]:
        """The record of a run that is as far on its way as the longest run is at each of ``moments``."""
        longest = max(self.shares.values(), key=len)
        return np.searchsorted(self.shares[label], longest[moments] + 1e-12, side="right") - 1


def together(*shows: Show) -> Show:
    """Everything in a panel is put to a record."""

    def show(record: int) -> None:
        for each in shows:
            each(record)

    return show


TIME, SHARE = "t = {}", "{} of the steps"
KEYS = {TIME: "clock_time", SHARE: "clock_share"}  # keys of the words in every language


def clock_of(runs: Mapping[str, Run]) -> Clock:
    """The clock of these runs; it has no words if no run takes steps."""
    stepping = {label: run for label, run in runs.items() if run.steps[-1] > 0}
    if not stepping:
        return Clock("", np.zeros(1), {label: np.zeros(1) for label in runs})
    shares = {label: np.asarray(run.steps) / max(int(run.steps[-1]), 1) for label, run in runs.items()}
    shares |= {label: np.zeros(1) for label in runs if label not in stepping}
    longest = max(stepping, key=lambda label: len(stepping[label].steps))
    # A run that fits a Gaussian counts steps of an optimiser, which have another time.
    timed = {label: run for label, run in stepping.items() if isinstance(run, ParticleRun)}
    moving = {label: run for label, run in timed.items() if fitted_gaussian(run) is None}
    if moving and len({float(run.times[-1]) for run in moving.values()}) == 1:
        first = max(moving.values(), key=lambda run: len(run.times))
        return Clock(TIME, np.interp(shares[longest], shares[first.label], first.times), shares)
    return Clock(SHARE, shares[longest], shares)


def decimals(shortest: float) -> int:
    """The number of decimals that tell times apart that differ by ``shortest``."""
    return int(np.clip(np.ceil(-np.log10(shortest) - 1e-9), 0, 12)) if shortest > 0 else 0
