"""Plain ASCII tables for a terminal, which every kind of scenario writes its summary with."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from particlegvi.contracts import Scenario

WIDTH = 99
WIDEST = 4  # coordinates of a mean that are written out


def heading(scenario: Scenario) -> str:
    """The first line: name and title of the scenario."""
    return f"{scenario['name']}: {scenario['title']}" if scenario["title"] else scenario["name"]


def wrapped(notes: Iterable[str]) -> list[str]:
    """Notes below a table, each within the width, with an empty line before them if there are any."""
    lines = [textwrap.fill(note, WIDTH, subsequent_indent="    ", break_long_words=False) for note in notes]
    return ["", *lines] if lines else []


def aligned(rows: list[list[str]], always: int) -> list[str]:
    """Lines of a table without the columns that are empty, the first ``always`` apart; words are flush left."""
    last = len(rows[0]) - 1
    kept = [column for column in range(last + 1) if column < always or any(row[column] for row in rows[1:])]
    widths = [max(len(row[column]) for row in rows) for column in kept]
    return [
        "  ".join(
            row[column].ljust(width) if column == 0 or not rows[0][column] else row[column].rjust(width)
            for column, width in zip(kept, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def cell(value: object) -> str:
    """Any value of a row in a few letters; empty for None."""
    if isinstance(value, int | str | bool) or value is None:
        return "" if value is None else str(value)
    return number(value) if isinstance(value, float | list) else str(value)


def number(value: Any) -> str:
    if value is None:
        return "not finite"
    if isinstance(value, list):
        shown = ", ".join(number(each) for each in value[:WIDEST])
        return f"({shown}{', ...' if len(value) > WIDEST else ''})"
    if value != 0.0 and not 1e-3 <= abs(value) < 1e6:
        return f"{value:.3g}"
    return f"{value:.3f}"
