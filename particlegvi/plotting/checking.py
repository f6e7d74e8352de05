"""Whether a picture can be shown: its texts, by the boxes in which the renderer draws them.

``particlegvi gallery --check`` lays out every figure of every scenario on the slides of `SLIDES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple
from unittest.mock import patch

from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from particlegvi.contracts import Facts
from particlegvi.plotting.style import Slide, slide_style
from particlegvi.tools import words

SLIDES: list[Facts] = [
    {"size": "16:9", "font_size": points, "language": language}
    for points in (20.0, 28.0)
    for language in words.languages()
]
OVERLAP = 1.0  # pixels: boxes are a little larger than their letters
EDGE = 0.1  # of a letter, between a text and the edge of the picture
APART = 0.5  # letters between headings that stand side by side; less reads as one line
SPACE = 0.12  # letters between a number of an axis and its neighbour


class DrawnText(NamedTuple):
    """A text that was drawn, with its box in pixels and the size of its letters."""

    words: str
    box: Bbox
    letter: float
    is_number: bool  # of an axis
    is_level: bool


def drawn_texts(figure: Figure) -> list[DrawnText]:
    """Every text that matplotlib draws, noted at the drawing itself."""
    numbers = {label for axes in figure.axes for label in (*axes.get_xticklabels(), *axes.get_yticklabels())}
    noted: dict[int, DrawnText] = {}
    draw = Text.draw

    def note(text: Text, renderer: RendererBase) -> None:
        if text.get_visible() and text.get_text().strip():
            box, letter = Text.get_window_extent(text, renderer), float(text.get_fontsize()) * figure.dpi / 72.0
            noted[id(text)] = DrawnText(text.get_text(), box, letter, text in numbers, text.get_rotation() == 0.0)
        draw(text, renderer)

    with patch.object(Text, "draw", note), slide_style():
        figure.canvas.draw()
    return list(noted.values())


def complaints_on_slides(draw: Callable[..., Figure]) -> Iterator[str]:
    """The complaints about a figure on every slide, where ``draw`` takes the settings of a look."""
    for look in SLIDES:
        for complaint in complaints(draw(**look)):
            yield f"{look['font_size']:g} points, {look['language']}: {complaint}"


def complaints(figure: Figure) -> Iterator[str]:
    """A sentence for each two texts that overlap or read as one, each beyond the picture, and each that was dropped."""
    drawn = drawn_texts(figure)
    for text in drawn:
        beyond = max(-text.box.x0, -text.box.y0, text.box.x1 - figure.bbox.x1, text.box.y1 - figure.bbox.y1)
        if beyond > OVERLAP - EDGE * text.letter:
            yield f"{text.words!r} leaves the picture, or touches its edge"
    for first, second in combinations(drawn, 2):
        across = min(first.box.x1, second.box.x1) - max(first.box.x0, second.box.x0)
        up = min(first.box.y1, second.box.y1) - max(first.box.y0, second.box.y0)
        if up <= OVERLAP:
            continue
        letter = max(first.letter, second.letter)
        apart = SPACE if first.is_number or second.is_number else APART
        on_a_line = first.is_level and second.is_level and up > 0.5 * min(first.box.height, second.box.height)
        if across > OVERLAP:
            yield f"{first.words!r} overlaps {second.words!r}"
        elif on_a_line and -across < apart * letter:
            yield f"{first.words!r} and {second.words!r} read as one line"
    shown = " ".join(" ".join(text.words for text in drawn).split())
    for needed in figure.needed if isinstance(figure, Slide) else ():
        if " ".join(needed.split()) not in shown:
            yield f"{needed!r} is not shown"
