"""Settings of a picture's look: the table ``[style]`` of a scenario, keys of ``[[figures]]``, options of commands.

This module checks the values; `particlegvi.plotting.look` makes a look of them. It does not import matplotlib, so
that a wrong size is refused before matplotlib is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from particlegvi.contracts import Facts
from particlegvi.settings import checks
from particlegvi.settings.checks import Check
from particlegvi.tools import words
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import unknown

# Width and height in inches. A slide (16:9 or 4:3) has the size that programs for slides give it. "column" is the width
# of one column of a two-column paper; its height follows from the panels.
SLIDES: dict[str, tuple[float, float | None]] = {"16:9": (40.0 / 3.0, 7.5), "4:3": (10.0, 7.5)}
SIZES: dict[str, tuple[float, float | None]] = {**SLIDES, "column": (3.5, None)}
PALETTES = ("light", "dark", "grey")
FORMATS = ("png", "pdf", "svg")
NARROWEST, WIDEST = 2.0, 60.0  # inches
_INCHES = re.compile(r"(\d+(?:\.\d+)?)\s*[x\u00d7]\s*(\d+(?:\.\d+)?)")
_COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")
_OF_LABEL = re.compile(r"(.{1,40})=(#[0-9A-Fa-f]{6})")


class StyleKey(NamedTuple):
    check: Check
    help: str


def size(value: object, key: str) -> str:
    """The size as a text, from a name of ``SIZES`` or from width and height in inches: "10x5.6" or [10, 5.6]."""
    if isinstance(value, str) and value in SIZES:
        return value
    if isinstance(value, list | tuple) and len(value) == 2:
        sides = [str(side) for side in value if isinstance(side, int | float) and not isinstance(side, bool)]
        match = _INCHES.fullmatch("x".join(sides))
    else:
        match = _INCHES.fullmatch(value) if isinstance(value, str) and len(value) <= 20 else None
    if match is None or not all(NARROWEST <= float(side) <= WIDEST for side in match.groups()):
        names = ", ".join(f'"{name}"' for name in SIZES)
        raise refuse(key, value, f'{names}, or {NARROWEST:g} to {WIDEST:g} inches by as many, such as "10x5.6"')
    return f"{float(match[1]):g}x{float(match[2]):g}"


def inches(chosen: str) -> tuple[float, float | None]:
    """Width and height of a size that `size` has accepted; the height is None if it follows from the panels."""
    if chosen in SIZES:
        return SIZES[chosen]
    width, _, height = chosen.partition("x")
    return float(width), float(height)


def colours(value: object, key: str) -> dict[str, str]:
    """Colours by the label of a method: a table, or texts such as "DLE=#0072B2"."""
    if isinstance(value, list | tuple) and all(isinstance(text, str) for text in value):
        pairs = [_OF_LABEL.fullmatch(text) for text in value]
        value = {pair[1]: pair[2] for pair in pairs if pair is not None} if all(pairs) else value
    if not isinstance(value, Mapping) or not 1 <= len(value) <= 32:
        raise refuse(key, value, 'a table such as {DLE = "#0072B2"}, or a list such as ["DLE=#0072B2"]')
    for label, colour in value.items():
        if not isinstance(label, str):
            raise refuse(f"a label of {key}", label, "the label of a method")
        if not isinstance(colour, str) or not _COLOUR.fullmatch(colour):
            raise refuse(f"{key}.{label}", colour, 'a colour such as "#0072B2"')
    return {label: colour.upper() for label, colour in value.items()}


def note(value: object, key: str) -> bool | str:
    """Whether notes are written, or words that stand before all others of them."""
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise refuse(key, value, "true, false, or words that explain the picture")
    return str(checks.text(200)(value, key))


KEYS: dict[str, StyleKey] = {
    "size": StyleKey(size, 'the size of the picture: "16:9", "4:3", "column" (of a paper), or inches such as "10x5.6"'),
    "font_size": StyleKey(
        checks.number(least=5.0, below=72.5, allowed="a number of points from 5 to 72"),
        "the size of the smallest words, in points",
    ),
    "palette": StyleKey(checks.choice(*PALETTES), '"light", "dark", or "grey" for prints without colour'),
    "colours": StyleKey(colours, 'the colours of methods, such as {DLE = "#0072B2"}'),
    "language": StyleKey(words.check, 'the language of the words in the picture: "en", "de"'),
    "format": StyleKey(checks.choice(*FORMATS), '"png", "pdf" or "svg"'),
    "title": StyleKey(checks.text(200), "the title over the picture, in place of the scenario's; empty: none"),
    "note": StyleKey(
        note,
        "whether the settings, and words about the numbers in panels, are written; or words that explain the picture",
    ),
    "vertical_axis": StyleKey(
        checks.choice("shared", "own"),
        '"shared": panels of one quantity have the same vertical axis; "own": each has its own',
    ),
}


def check(value: object, key: str = "") -> Facts:
    """Check a table of settings of the look, and return its values in plain form."""
    if not isinstance(value, Mapping):
        raise refuse(key or "the style", value, 'a table, such as {size = "4:3"}')
    for name in value:
        if name not in KEYS:
            raise unknown(f"key of {key or 'the style'}", name, KEYS)
    return {name: KEYS[name].check(setting, f"{key}.{name}" if key else name) for name, setting in value.items()}
