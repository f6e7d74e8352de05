"""Figures that move: the artists of one figure are put where the particles were at any record, and nothing is redrawn.

A kind of figure that can move builds a `Moving`, and its picture is that figure as it was built, at the last record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from matplotlib.figure import Figure
from matplotlib.text import Text

from particlegvi.contracts import Array, Run
from particlegvi.plotting.look import Look

Follow: TypeAlias = Callable[[Array], None]  # puts artists where particles (n, dim) are, or (n,) on the line
Show: TypeAlias = Callable[[int], None]  # puts the artists of one run where its particles were at this record


class Moving(NamedTuple):
    """A figure at the last record, and how each of its runs is put to another one.

    Attributes
    ----------
    figure : Figure
    runs : mapping
        The runs that are drawn, by label.
    shows : mapping
        By label, a function of the number of a record of that run, from 0 to the last.
    clock : Text
        The time in the heading.
    look : Look
        The look in which the figure was built.
    """

    figure: Figure
    runs: Mapping[str, Run]
    shows: Mapping[str, Show]
    clock: Text
    look: Look = Look()
