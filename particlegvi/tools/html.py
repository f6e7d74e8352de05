"""Small tables for notebooks: in the colours of the notebook, every text escaped, and never long.

Nothing sets a background or a colour of its own, so that a light and a dark notebook both show what is readable.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from particlegvi.tools.quoting import plain, short, shown

LARGEST = 19_000  # bytes of the whole, in UTF-8
MOST_ROWS = 60
LINE = "border-bottom: 1px solid; padding: 0.15em 0.7em;"
CELL = "padding: 0.1em 0.7em; text-align: left; vertical-align: top;"


class Card:
    """The base of objects that a notebook shows as the table of their public attributes."""

    def _repr_html_(self) -> str:
        attributes = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        return card(type(self).__name__, attributes)


def card(title: str, facts: Mapping[str, object], *blocks: str) -> str:
    """A title, a table of names and values, and further blocks; blocks beyond `LARGEST` are left out."""
    head = f"<strong>{text(title)}</strong>"
    rows = [f"<tr><th style='{CELL}'>{text(name)}</th><td style='{CELL}'>{text(words(value))}</td></tr>"
            for name, value in list(facts.items())[:MOST_ROWS]]  # fmt: skip
    return framed(head, *([_table(rows)] if rows else []), *blocks)


def framed(*blocks: str) -> str:
    """Blocks in the colours of the notebook, as many as there is room for."""
    shown_blocks, room = "", LARGEST
    for block in blocks:
        size = len(block.encode())
        if size < room:
            shown_blocks, room = shown_blocks + block, room - size
    return f"<div class='particlegvi' style='color: inherit; font-family: inherit;'>{shown_blocks}</div>"


def grid(rows: Sequence[Sequence[str]]) -> str:
    """A table whose first row is its head, without the columns that are empty; rows beyond the room are counted."""
    kept = [column for column in range(len(rows[0])) if column == 0 or any(row[column] for row in rows[1:])]
    head = "".join(f"<th style='{CELL} {LINE}'>{text(rows[0][column])}</th>" for column in kept)
    lines = [f"<tr>{head}</tr>"]
    room = LARGEST // 2
    for number, row in enumerate(rows[1:], start=1):
        line = "<tr>" + "".join(f"<td style='{CELL}'>{text(row[column])}</td>" for column in kept) + "</tr>"
        room -= len(line.encode())
        if room < 0:
            left = len(rows) - number
            lines.append(f"<tr><td style='{CELL}' colspan='{len(kept)}'>and {left} more</td></tr>")
            break
        lines.append(line)
    return _table(lines)


def notes(lines: Iterable[str]) -> str:
    """Lines of text below a table."""
    return "".join(f"<div style='padding: 0.1em 0.7em;'>{text(line, 300)}</div>" for line in list(lines)[:12])


def folded(title: str, content: str) -> str:
    """A text that a click shows, cut after 1,500 characters."""
    cut = content if len(content) <= 1500 else f"{content[:1500]}\n..."
    return f"<details><summary>{text(title)}</summary><pre style='color: inherit;'>{html.escape(cut)}</pre></details>"


def verdict(reached: bool | None, said: str) -> str:
    """A verdict with a sign that needs no colour: a tick, a cross, or a question mark."""
    return f"{'?' if reached is None else '✓' if reached else '✗'} {said}"


def words(value: object) -> str:
    """A value in a few words; an array of more than a few numbers by its shape."""
    if isinstance(value, np.ndarray) and 0 < value.size <= 4 and value.ndim <= 1:
        return ", ".join(f"{entry:.6g}" for entry in value.ravel().tolist())
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {inner(entry)}".strip() for name, entry in list(value.items())[:8])
    if isinstance(value, list | tuple) and value and all(isinstance(entry, str) for entry in value):
        return ", ".join(value[:8])
    quoted = shown(value)
    return quoted.removeprefix("an array of ") if quoted.startswith("an array of") else quoted


def inner(value: object) -> str:
    """A value of a table, with its own table in parentheses."""
    if isinstance(value, Mapping):
        return f"({words(value)})" if value else ""
    return words(value)


def text(value: str, longest: int = 90) -> str:
    """A text that is a text and nothing else, also where it looks like HTML; on one line, and cut."""
    line = plain(" ".join(value[: 4 * longest].split()))
    return html.escape(line if len(line) <= longest else f"{line[: longest - 3]}...")


def histogram(
    densities: Sequence[float], curve: Sequence[float] = (), stems: Sequence[tuple[float, float]] = ()
) -> str:
    """An inline picture of 200 by 40: bars, a dashed curve over them, and stems at (place, height).

    Parameters
    ----------
    densities : sequence of float
        Heights of bars of one width, from the left end to the right.
    curve : sequence of float
        Heights at equal distances, from end to end.
    stems : sequence of pairs
        The place, from 0 to 1, and the height, from 0 to 1.
    """
    top = max([*densities, *curve, 0.0]) or 1.0
    if not math.isfinite(top):
        return ""
    wide, high = 200.0 / max(len(densities), 1), 38.0
    bars = "".join(
        f"M{i * wide:.1f} 40v{-value / top * high:.1f}h{wide:.1f}V40z"
        for i, value in enumerate(densities)
        if value > 0.0
    )
    points = [f"{i * 200.0 / (len(curve) - 1):.1f},{40.0 - value / top * high:.1f}" for i, value in enumerate(curve)]
    line = f"<polyline points='{' '.join(points)}' fill='none' stroke='currentColor' stroke-dasharray='4 2'/>"
    sticks = "".join(f"M{200.0 * at:.1f} 40v{-high * height:.1f}" for at, height in stems)
    said = "histogram of the particles" + ("; dashed: the truth Q*" if points or sticks else "")
    return (
        f'<svg width="200" height="40" viewBox="0 0 200 40" role="img" aria-label="{said}">'
        f"<path d='{bars}' fill='currentColor' fill-opacity='0.35'/>{line if points else ''}"
        f"<path d='{sticks}' stroke='currentColor' stroke-width='1.5' stroke-dasharray='4 2'/></svg>"
    )


def _table(rows: Sequence[str]) -> str:
    return f"<table style='color: inherit; border-collapse: collapse;'>{''.join(rows)}</table>"


def brief(content: object) -> object:
    """Plain data in which a long list is counted, for the summary below a table."""
    if isinstance(content, Mapping):
        return {str(name): brief(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [brief(entry) for entry in content] if len(content) <= 4 else f"{len(content)} values"
    return short(content) if isinstance(content, str) else content
