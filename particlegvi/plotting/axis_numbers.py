"""The numbers at axes: in the marks of a language, at powers of ten, and fewer where they do not fit."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from matplotlib import ticker
from matplotlib.axis import Axis, XAxis
from matplotlib.figure import Figure

from particlegvi.plotting import style
from particlegvi.plotting.look import say
from particlegvi.tools.words import Words

# A label with a word of letters, formulas apart: a name, and no number.
NAME = re.compile(r"^[^$]*[^\W\d_]{2}|^[^\W\d_]")


class Marked(ticker.Formatter):
    """The numbers of another formatter, with the marks of a language."""

    def __init__(self, inner: ticker.Formatter, spoken: Words) -> None:
        self._inner, self._spoken = inner, spoken

    def __call__(self, x: float, pos: int | None = None) -> str:
        return self._marked(self._inner(x, pos))

    def format_ticks(self, values: list[float]) -> list[str]:
        return [self._marked(text) for text in self._inner.format_ticks(values)]

    def get_offset(self) -> str:
        return self._marked(self._inner.get_offset())

    def _marked(self, text: str) -> str:
        return text if "$" in text else self._spoken.number(text)


def mark_numbers(figure: Figure, spoken: Words) -> None:
    """Give the numbers at all axes the marks of the language."""
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            inner = axis.get_major_formatter()
            if isinstance(inner, ticker.ScalarFormatter | ticker.PercentFormatter):
                axis.set_major_formatter(Marked(inner, spoken))


def number_decades(axis: Axis) -> None:
    """Numbers at the powers of ten alone, or, within less than a decade, at 1, 2, 3 and 5 times these."""
    low, high = sorted(axis.get_view_interval())
    if sum(low <= place <= high for place in axis.get_majorticklocs()) < 2:
        powers = 10.0 ** np.arange(np.floor(np.log10(low)), np.log10(high) + 1.0)
        places = [place for place in np.outer(powers, (1.0, 2.0, 3.0, 5.0)).ravel() if low <= place <= high]
        axis.set_ticks(places, [f"${text}$" for text in one_notation(places)])
    axis.set_minor_formatter(ticker.NullFormatter())


def one_notation(values: Sequence[float], digits: int = 4) -> list[str]:
    """Numbers as mathtext without dollar signs, which stand beside each other: with powers of ten all or none."""
    sizes = [abs(value) for value in values if value]
    if not sizes or (min(sizes) >= 1e-4 and max(sizes) < 10.0**digits):
        return [style.in_mathematics(f"{value:.{digits}g}") for value in values]
    parts = [f"{value:.{digits - 1}e}".split("e") for value in values]
    return [rf"{style.mathtext(float(m))}\times 10^{{{int(e)}}}" if float(m) else "0" for m, e in parts]


def parameter_of(loss: object) -> tuple[str, str]:
    """The axes of parameter and loss on the line: a parameter t is theta, since t is the time of every figure."""
    name, function = style.coordinates(loss, 1)[0], style.loss_of(loss, 1)
    name, function = (r"$\theta$", style.FUNCTION) if name == "$t$" else (name, function)
    return say("parameter", name=name), say("loss", function=function)


def fewer_numbers(axis: Axis) -> bool:
    """One number less at an axis that chooses them, every second of other numbers; False below two, and for names."""
    locator = axis.get_major_locator()
    low, high = sorted(axis.get_view_interval())
    shown = [place for place in axis.get_majorticklocs() if low <= place <= high]
    if len(shown) <= 2:
        return False
    if isinstance(locator, ticker.MaxNLocator):
        locator.set_params(nbins=max(1, len(shown) - 2))
        is_less = len([place for place in axis.get_majorticklocs() if low <= place <= high]) < len(shown)
        if not is_less and isinstance(axis, XAxis):
            axis.set_major_locator(ticker.FixedLocator(shown[1:]))  # the first one stands in a corner
        return is_less or isinstance(axis, XAxis)
    if any(NAME.search(label.get_text()) for label in axis.get_ticklabels()):
        return False  # names of bars and of rows: each is needed
    axis.set_major_locator(ticker.FixedLocator(shown[::2]))
    return True
