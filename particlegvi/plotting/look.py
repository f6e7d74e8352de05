"""The look in which a figure is drawn: size, letters, colours and language, from the settings of `settings.pictures`.

A figure asks for it while it is drawn: `palette`, `say`, `number` and `look`. `FigureKind` sets it around the drawing,
as a context, since matplotlib's own settings are one too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from particlegvi.plotting import palettes
from particlegvi.plotting.palettes import Palette
from particlegvi.settings.pictures import SLIDES, inches
from particlegvi.tools import words

WIDTH, HEIGHT, DOTS_PER_INCH = 10.0, 5.6, 150
SMALL, MEDIUM, LARGE = 12.0, 13.5, 16.0
LINES_AROUND = 11.5  # lines of words above and below the panels of a slide, in sizes of the smallest letters
ON_SLIDE = "_on_slide"  # end of the keys of shorter words
SMALLEST_DEFAULT = 8.0  # points of the smallest words in a narrow picture, where no size of letters is given


class Look(NamedTuple):
    """Settings of the look; the defaults are a picture of 10 by 5.6 inches that grows with its rows."""

    size: str | None = None  # as `particlegvi.settings.pictures.size` gives it
    font_size: float | None = None  # of the smallest words, in points
    palette: str = "light"
    language: str = words.DEFAULT
    format: str = "png"
    title: str | None = None  # in place of the scenario's; "" for no heading
    vertical_axis: str | None = None  # "shared" or "own"; None leaves the choice to the kind of figure
    colours: Mapping[str, str] = {}  # of methods, by their labels
    note: bool | str = True  # whether the settings, and numbers about the panels, are written; or words before these

    @property
    def width(self) -> float:
        """Inches."""
        return WIDTH if self.size is None else inches(self.size)[0]

    @property
    def height(self) -> float | None:
        """Inches; None where a picture is as high as its panels need."""
        return None if self.size is None else inches(self.size)[1]

    @property
    def is_slide(self) -> bool:
        """Whether the picture is projected: one line of heading, a narrow legend, no words inside the panels."""
        return self.size in SLIDES

    @property
    def scale(self) -> float:
        """The size of lines and marks, as a fraction of those of a slide of 10 inches."""
        return max(self.width / WIDTH, SMALLEST_DEFAULT / SMALL) if self.width != WIDTH else 1.0

    @property
    def letters(self) -> float:
        """The size of letters, as a fraction of those of a slide of 10 inches."""
        return self.scale if self.font_size is None else self.font_size / SMALL

    @property
    def small(self) -> float:
        return SMALL * self.letters

    @property
    def medium(self) -> float:
        return MEDIUM * self.letters

    @property
    def large(self) -> float:
        return LARGE * self.letters

    @property
    def breadth(self) -> float:
        """The width in units of the smallest letters' size: what decides how many panels stand in a row."""
        return self.width * 72.0 / self.small

    def tallness(self, columns: int) -> float | None:
        """Height to width of one of so many panels in a row that fills a slide; None in other pictures."""
        if not self.is_slide or self.height is None:
            return None
        height = self.height * 72.0 - LINES_AROUND * self.small
        return height / ((self.width * 72.0 - 4.0 * self.small) / columns - 0.8 * self.small)

    @property
    def dots_per_inch(self) -> int:
        """Pixels per inch of a PNG: a narrow one is for paper, and has as many pixels as one for a slide."""
        return DOTS_PER_INCH if self.width >= WIDTH else min(400, round(DOTS_PER_INCH * WIDTH / self.width))


_current: ContextVar[Look] = ContextVar("look", default=Look())  # noqa: B039 -- a tuple, which never changes


@contextmanager
def drawn_in(chosen: Look) -> Iterator[None]:
    """Figures that are made inside this context have the look."""
    before = _current.set(chosen)
    try:
        yield
    finally:
        _current.reset(before)


def in_look(chosen: Look, show: Callable[[int], None]) -> Callable[[int], None]:
    """The function that puts a figure to a record, in the look that the figure has."""

    def shows(record: int) -> None:
        with drawn_in(chosen):
            show(record)

    return shows


def look() -> Look:
    """The look of the figure that is being drawn."""
    return _current.get()


def palette() -> Palette:
    """Its colours."""
    return palettes.PALETTES[look().palette]


def say(key: str, /, **values: object) -> str:
    """The words of the key ``[figures]`` has in its language; on a slide shorter ones where there are some."""
    spoken = words.of(look().language)
    short = f"{key}{ON_SLIDE}"
    return spoken(f"figures.{short if look().is_slide and short in spoken.table('figures') else key}", **values)


def localised(text: str) -> str:
    """A number that Python printed, ``f"{x:,.2f}"``, with the marks of its language."""
    return words.of(look().language).number(text)
