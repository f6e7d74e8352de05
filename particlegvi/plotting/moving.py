"""Figures that move: the artists of one figure are put where the particles were at any record, and nothing is redrawn.

A kind of figure that can move builds a `MovingFigure`, and its picture is that figure as it was built, at the last
record.
The `Clock` is the time in the heading, at every moment of a film. A `Camera` takes the pictures of a film.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from numpy.typing import NDArray

from particlegvi.contracts import Array, Run
from particlegvi.plotting.look import Look, number, say
from particlegvi.plotting.protocols import ParticleRun
from particlegvi.plotting.reading import fitted_gaussian
from particlegvi.plotting.style import slide_style

Follow: TypeAlias = Callable[[Array], None]  # puts artists where particles (n, dim) are, or (n,) on the line
Show: TypeAlias = Callable[[int], None]  # puts the artists of one run where its particles were at this record
GROUND = 0.5  # artists of at most this zorder (contours, ticks) never move


class MovingFigure(NamedTuple):
    """A figure at the last record, and how each of its runs, by label, is put to another one."""

    figure: Figure
    runs: Mapping[str, Run]
    shows: Mapping[str, Show]
    clock: Text  # the time in the heading
    look: Look = Look()  # in which the figure was built


class Clock(NamedTuple):
    """The clock of the heading: time or steps that all runs share, or else the share of the way."""

    words: str  # "t = {}", "step {}" or "{} of the steps"
    times: Array  # time, steps or share at each record of the run with the most records
    shares: dict[str, Array]  # by label, the share of its steps that a run has done at its records; the last is 1

    def at(self, moment: int, shortest: float = 0.0) -> str:
        """The words at a record of the longest run, with decimals that tell times ``shortest`` apart."""
        time = float(self.times[moment])
        if moment in (-1, len(self.times) - 1):
            shown = f"{time:,.6g}" if self.words != SHARE else "100%"
        elif self.words == SHARE:
            shown = f"{time:.0%}"
        else:
            shown = f"{time:,.{decimals(shortest)}f}"
        return say(KEYS[self.words], value=number(shown)) if self.words else ""

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


TIME, STEP, SHARE = "t = {}", "step {}", "{} of the steps"
KEYS = {TIME: "clock_time", STEP: "clock_step", SHARE: "clock_share"}  # keys of the words in every language


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
    if len({int(run.steps[-1]) for run in stepping.values()}) == 1:
        return Clock(STEP, np.asarray(stepping[longest].steps, dtype=np.float64), shares)
    return Clock(SHARE, shares[longest], shares)


def decimals(shortest: float) -> int:
    """The number of decimals that tell times apart that differ by ``shortest``."""
    return int(np.clip(np.ceil(-np.log10(shortest) - 1e-9), 0, 12)) if shortest > 0 else 0


class Camera:
    """Takes pictures of a figure that moves; each equals a drawing of the whole figure, pixel for pixel.

    The layout is computed once, as for the picture of the figure itself. Everything around the panels and below the
    moving artists is drawn once, because words take most of the time of a picture. The figure is as it was built, at
    its last record; the width of the pictures is in pixels.
    """

    def __init__(self, moving: MovingFigure, width: int) -> None:
        figure = moving.figure
        self._canvas = FigureCanvasAgg(figure)
        figure.set_dpi(width / figure.get_figwidth())
        # Axes behind a panel, such as those of the loss, never move.
        panels = [axes for axes in figure.axes if axes.get_visible() and axes.get_zorder() >= 0]
        self._above = [artist for axes in panels for artist in contents(axes)] + [moving.clock]
        with slide_style():
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
            seen = [artist for artist in self._above if artist.get_visible()]
            for artist in seen:
                artist.set_visible(False)
            self._canvas.draw()
            self._below = self._canvas.copy_from_bbox(figure.bbox)
            for artist in seen:
                artist.set_visible(True)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the pictures."""
        width, height = self._canvas.get_width_height()
        return width, height

    def picture(self) -> NDArray[np.uint8]:
        """The figure as it is now, (height, width, 3)."""
        renderer = self._canvas.get_renderer()
        with slide_style():
            self._canvas.restore_region(self._below)
            for artist in self._above:
                artist.draw(renderer)
        return np.asarray(self._canvas.buffer_rgba())[..., :3].copy()


def contents(axes: Axes) -> list[Artist]:
    """The artists of a panel above its ground, in the order in which they are drawn."""
    titles = [each for each in axes.get_children() if isinstance(each, Text) and each not in axes.texts]
    around = [axes.patch, axes.xaxis, axes.yaxis, *titles]
    inside = [each for each in axes.get_children() if each not in around and each.get_zorder() > GROUND]
    return sorted(inside, key=Artist.get_zorder)
