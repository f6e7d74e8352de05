"""The last touches to a figure: thinner lines for another size, and words that fit.

Words are measured after matplotlib has laid the figure out. Where two overlap, or one leaves the picture, a title or
the label of an axis is broken, an axis gets fewer numbers, or words get smaller, and the figure is laid out again.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import NamedTuple, TypeVar

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis, YAxis
from matplotlib.collections import Collection, PathCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.spines import Spine
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from particlegvi.plotting import style
from particlegvi.plotting.axis_numbers import fewer_numbers, mark_numbers, number_decades
from particlegvi.plotting.look import Look, look
from particlegvi.tools import words
from particlegvi.tools.errors import warn

Drawn = TypeVar("Drawn")

ATTEMPTS = 16
LEAST_HEIGHT = 0.2  # of the panels, relative to the picture, below which a warning says that they are small
MOST_LINES = 3  # of a title or a label on a slide
SMALLER, SMALLEST = 0.93, 0.6  # relative to the first size of the words
EDGE = 0.15  # between words and the edge of the picture, in sizes of the smallest letters
MARGIN = 0.5  # pixels by which boxes may overlap: letters do not fill them
GAP, SPACE = 0.8, 0.25  # sizes of letters between words beside each other on a slide, and between others


class PlacedText(NamedTuple):
    """A text, with the axis whose number it is, if it is one, and its panel, if it has one."""

    text: Text
    axis: Axis | None = None
    panel: Axes | None = None


def finished(figure: Drawn) -> Drawn:
    """The figure, after what a look changes in all figures alike."""
    looks = look()
    if isinstance(figure, Figure):
        if looks.scale != 1.0:
            thin(figure, looks.scale)
        if looks.language != words.DEFAULT:
            mark_numbers(figure, words.of(looks.language))
        with style.slide_style():
            share = height_of_panels(figure) if fit(figure, looks) else 0.0
        if share < LEAST_HEIGHT:
            width, height = figure.get_size_inches()
            warn(
                f"words of {looks.small:g} points leave the panels {share:.0%} of the height of a picture of "
                f"{width:.4g} by {height:.4g} inches; a smaller font_size or a larger size gives them more"
            )
    return figure


def height_of_panels(figure: Figure) -> float:
    """The part of the picture's height at which there is a panel, colour bars left out."""
    share, end = 0.0, 0.0
    panels = [axes for axes in figure.axes if axes.get_visible() and axes.get_subplotspec() is not None]
    for low, high in sorted((axes.get_position().y0, axes.get_position().y1) for axes in panels):
        share, end = share + max(0.0, high - max(low, end)), max(end, high)
    return share


def thin(figure: Figure, scale: float) -> None:
    """Make lines and marks thinner or thicker; ticks and frames have their size from the look already."""
    drawn: list[Artist] = [*figure.lines, *figure.patches, *figure.artists]
    for axes in figure.axes:
        drawn += [child for child in axes.get_children() if not isinstance(child, Spine) and child is not axes.patch]
    for legend in figure.legends:
        drawn += [handle for handle in legend.legend_handles if handle is not None]
    for artist in drawn:
        if isinstance(artist, Line2D):
            artist.set(
                linewidth=artist.get_linewidth() * scale,
                markersize=artist.get_markersize() * scale,
                markeredgewidth=artist.get_markeredgewidth() * scale,
            )
        elif isinstance(artist, Patch):
            artist.set_linewidth(artist.get_linewidth() * scale)
        elif isinstance(artist, Collection):
            artist.set_linewidth((np.asarray(artist.get_linewidth()) * scale).tolist())
            if isinstance(artist, PathCollection):
                artist.set_sizes(artist.get_sizes() * scale**2)


def fit(figure: Figure, looks: Look) -> bool:
    """Break, thin out or shrink words until none overlaps or touches another and none leaves the picture.

    Returns whether the words leave any room for the panels.
    """
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if "labelsize" not in axis.get_tick_params():  # or the numbers are chosen anew for other letters when saved
                axis.set_tick_params(labelsize=looks.small)
            if axis.get_scale() == "log":
                number_decades(axis)
        for text in axes.texts:
            if is_inside(axes, text):
                text.set_in_layout(False)  # or the panel gives way to its own words
                if not text.get_path_effects():
                    style.outlined(text)
    full: dict[Text, float] = {}
    has_room = True
    for _ in range(ATTEMPTS):
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message="constrained_layout not applied")
            try:
                figure.draw_without_rendering()
                has_room = True
            except UserWarning:
                has_room = False
        wrong = faults(figure)
        if not wrong:
            break
        touched: set[Artist] = set()
        for word in wrong:
            mend(word, touched, full)
    figure.set_layout_engine("none")  # the picture is drawn as it was measured
    return has_room


def is_inside(axes: Axes, text: Text) -> bool:
    """Whether a text stands in its panel, and not beside it."""
    box = text.get_window_extent()
    return bool(axes.get_window_extent().contains((box.x0 + box.x1) / 2.0, (box.y0 + box.y1) / 2.0))


def placed(figure: Figure) -> Iterator[PlacedText]:
    """Every text that is shown, after the figure was laid out."""
    for text in (*figure.texts, *(text for legend in figure.legends for text in legend.get_texts())):
        yield PlacedText(text)
    for axes in figure.axes:
        for text in (*axes.texts, axes.title, axes.xaxis.label, axes.yaxis.label) if axes.get_visible() else ():
            yield PlacedText(text, None, axes)
        for axis in (axes.xaxis, axes.yaxis) if axes.get_visible() else ():
            low, high = sorted(axis.get_view_interval())
            slack = 1e-9 * (high - low)
            for tick in axis.get_major_ticks():
                if low - slack <= tick.get_loc() <= high + slack:
                    yield PlacedText(tick.label1, axis, axes)
                    yield PlacedText(tick.label2, axis, axes)


def faults(figure: Figure) -> list[PlacedText]:
    """The texts that leave the picture, and of two that overlap or touch the one that is easier to mend, or both."""
    shown = (word for word in placed(figure) if word.text.get_visible() and word.text.get_text().strip())
    texts = sorted(shown, key=ease)
    boxes = [word.text.get_window_extent() for word in texts]
    left, low, right, high = np.array([box.extents for box in boxes]).T
    letter = look().small * figure.dpi / 72.0
    ends = figure.bbox.extents + EDGE * letter * np.array([1.0, 1.0, -1.0, -1.0])
    beyond = (left < ends[0]) | (low < ends[1]) | (right > ends[2]) | (high > ends[3])
    wrong = {id(word.text): word for word, is_beyond in zip(texts, beyond, strict=True) if is_beyond or too_tall(word)}
    across = np.minimum.outer(right, right) - np.maximum.outer(left, left)
    up = np.minimum.outer(high, high) - np.maximum.outer(low, low)
    for one, other in np.argwhere(np.triu((across > -GAP * letter) & (up > MARGIN), 1)):
        first, second = texts[one], texts[other]
        on_a_line = up[one, other] > 0.5 * min(boxes[one].height, boxes[other].height)
        if across[one, other] <= MARGIN - letter * gap(first, second) * on_a_line:
            continue
        same = ease(first) == ease(second)
        # A title reaches over the numbers beside its panel: fewer of these would not help.
        over = isinstance(first.axis, YAxis) and second.panel is not None and second.text is second.panel.title
        worse = second if over or (same and length(boxes[other]) > length(boxes[one])) else first
        wrong[id(worse.text)] = worse
    return list(wrong.values())


def length(box: Bbox) -> float:
    """The longer side of a box."""
    return float(max(box.width, box.height))


def gap(first: PlacedText, second: PlacedText) -> float:
    """The least distance between two texts that stand beside each other, in sizes of the smallest letters."""
    if first.panel is None or second.panel is None or first.text.get_rotation() or second.text.get_rotation():
        return 0.0
    of_neighbours = first.axis is not None and second.axis is not None and first.panel is not second.panel
    is_near = (first.axis is not None or second.axis is not None) and not of_neighbours
    return SPACE if is_near or not look().is_slide else GAP


def too_tall(word: PlacedText) -> bool:
    """Whether the label of a vertical axis is longer than its panel is high."""
    if word.panel is None or word.text is not word.panel.yaxis.label or "\n" in word.text.get_text():
        return False
    return bool(word.text.get_window_extent().height > 1.1 * word.panel.get_window_extent().height)


def ease(word: PlacedText) -> int:
    """Which of two texts gives way: a number before a text in a panel, then a title, then the rest."""
    if word.axis is not None:
        return 0
    if word.panel is None:
        return 3
    return 1 if word.text in word.panel.texts else 2


def mend(word: PlacedText, touched: set[Artist], full: dict[Text, float]) -> None:
    """One step towards a text that fits; each axis takes one step at a time."""
    if word.axis is not None:
        if word.axis not in touched and not fewer_numbers(word.axis):
            for axis in same_axes(word):
                axis.set_tick_params(labelsize=SMALLER * float(word.text.get_fontsize()))
                touched.add(axis)
        touched.add(word.axis)
        return
    size, looks = float(word.text.get_fontsize()), look()
    lines = word.text.get_text().count("\n") + 1
    # On a slide, whose height is given, words that are larger than the smallest ones first get as small as these.
    may_break = (size <= 1.01 * looks.small and lines < MOST_LINES) if looks.is_slide else True
    shorter = None
    if word.panel is not None and word.text not in word.panel.texts and may_break:
        shorter = broken(word.text.get_text())
    if shorter is not None:
        for text in [title for title in alike(word) if title is not word.text and is_level(title, word.text)]:
            if text.get_text() and text.get_text().count("\n") < shorter.count("\n"):
                text.set_text(broken(text.get_text()) or text.get_text() + "\n")  # its name stays beside the others
        word.text.set_text(shorter)
        return
    same = [text for text in alike(word) if text not in touched]
    touched.update(same if word.panel is not None and word.text is word.panel.xaxis.label else ())
    for text in same:
        text.set_fontsize(max(SMALLER * size, SMALLEST * full.setdefault(text, size)))
    if word.panel is not None and word.text.get_gid() == "note" and word.panel.figure is not None:
        style.level_titles([axes for axes in word.panel.figure.axes if is_level(axes.title, word.text)])


def same_axes(word: PlacedText) -> list[Axis]:
    """The horizontal axes of all panels, or the vertical ones: their numbers have one size."""
    panels = [] if word.panel is None or word.panel.figure is None else word.panel.figure.axes
    return [axes.yaxis if isinstance(word.axis, YAxis) else axes.xaxis for axes in panels]


def alike(word: PlacedText) -> list[Text]:
    """The text, or titles or equal labels of all panels, or the texts in panels with its gid: these have one size."""
    if word.panel is None or word.panel.figure is None:
        return [word.text]
    panels, gid = word.panel.figure.axes, word.text.get_gid()
    if word.text is word.panel.title:
        return [axes.title for axes in panels]
    if word.text is word.panel.xaxis.label:
        return [axes.xaxis.label for axes in panels if axes.get_xlabel() == word.text.get_text()]
    return [text for axes in panels for text in axes.texts if text.get_gid() == gid] if gid else [word.text]


def is_level(first: Text, second: Text) -> bool:
    """Whether two texts belong to panels in one row."""
    places = [text.axes.get_subplotspec() for text in (first, second) if text.axes is not None]
    rows = [place.rowspan for place in places if place is not None]
    return len(rows) == 2 and rows[0] == rows[1]


def broken(text: str) -> str | None:
    """The text with its longest line broken near the middle, at a space or between two formulas; None if it cannot."""
    lines = text.split("\n")
    longest = max(range(len(lines)), key=lambda place: len(lines[place]))
    line = lines[longest]
    places = [place for place, letter in enumerate(line) if letter == " " and line[:place].count("$") % 2 == 0]
    between = r",\ "
    halves = None
    if places:
        place = min(places, key=lambda space: abs(space - len(line) / 2))
        halves = [line[:place], line[place + 1 :]]
    elif line.startswith("$") and line.endswith("$") and between in line:
        first, _, second = line.partition(between)
        halves = [f"{first},$", f"${second}"]
    return None if halves is None else "\n".join([*lines[:longest], *halves, *lines[longest + 1 :]])
