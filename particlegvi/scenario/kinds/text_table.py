"""The table of a summary, from one list of columns: rows for libraries of tables, and plain ASCII for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from particlegvi.contracts import Facts, Run, Scenario

WIDTH = 99
WIDEST = 4  # largest number of coordinates of a mean that is written out
ROUNDING = 1e-15  # of the largest coordinate of a point: what is below is printed as 0
NOTHING = 1e-20  # the same for a number alone
MISSING: Any = object()  # a value that the facts of a method do not have


def short_number(value: Any, least: float = NOTHING) -> str:
    """A number or a list of numbers as a short text; None stands for NaN and infinity, which JSON does not have.

    A number below ``least`` is printed as 0, and a coordinate that is rounding beside the others.
    """
    if value is None:
        return "not finite"
    if isinstance(value, list):
        largest = max((abs(part) for part in value if isinstance(part, int | float)), default=0.0)
        shown = ", ".join(short_number(part, max(NOTHING, ROUNDING * largest)) for part in value[:WIDEST])
        return f"({shown}{', ...' if len(value) > WIDEST else ''})"
    if abs(value) < least:
        return "0.000"
    return f"{value:.3f}" if 1e-3 <= abs(value) < 1e6 else f"{value:.3g}"


def percent(value: float | None) -> str:
    """A share in per cent."""
    return short_number(value) if value is None else f"{value:.0%}"


class Column(NamedTuple):
    """A column of a summary: one value of each method."""

    key: str  # key in the rows of `results.table()`; empty for a column that is only printed
    heading: str | None = None  # printed heading; None for a column that is not printed
    # the place of the value in the facts of a method, with dots ("truth.rmse"), or a function of the facts; if empty,
    # the place is ``key``
    value: str | Callable[[Facts], Any] = ""
    form: Callable[[Any], str] = short_number  # turns the value into text

    def of(self, facts: Facts) -> Any:
        """The value in the facts of a method, or ``MISSING``."""
        if callable(self.value):
            return self.value(facts)
        value: Any = facts
        for step in (self.value or self.key).split("."):
            value = value.get(step, MISSING) if isinstance(value, Mapping) else MISSING
        return value

    def text(self, facts: Facts) -> str:
        """The value as text; empty if it is missing."""
        value = self.of(facts)
        return "" if value is MISSING else self.form(value)


def rows(columns: Iterable[Column], runs: Mapping[str, Run], summary: Facts) -> list[Facts]:
    """A row for each method: its label, the columns with a key (None for a missing value), and its seconds."""
    keyed = [column for column in columns if column.key]
    lines = []
    for label, facts in summary["methods"].items():
        values = {column.key: column.of(facts) for column in keyed}
        values = {key: None if value is MISSING else value for key, value in values.items()}
        lines.append({"method": label, **values, "seconds": runs[label].info.get("seconds")})
    return lines


def printed(
    columns: Iterable[Column], methods: Mapping[str, Facts], name: Callable[[str, Facts], str] = lambda label, _: label
) -> list[list[str]]:
    """The columns with a heading as texts, the head first; ``name(label, facts)`` is the first cell of a row."""
    headed = [column for column in columns if column.heading is not None]
    head = ["method", *(column.heading or "" for column in headed)]
    return [head, *([name(label, facts), *(shown.text(facts) for shown in headed)] for label, facts in methods.items())]


def described(
    scenario: Scenario, summary: Facts, about: str, tables: Iterable[list[list[str]]], notes: list[str]
) -> str:
    """Name and title, one line ``about`` the runs, tables as texts with their head first, and notes below them."""
    lines = [
        f"{scenario['name']}: {scenario['title']}" if scenario["title"] else scenario["name"],
        f"{about}, seed {summary['seed']}, {summary['status']}",
    ]
    for rows in tables:
        lines += ["", *aligned(rows)]
    wrapped = [textwrap.fill(note, WIDTH, subsequent_indent="    ", break_long_words=False) for note in notes]
    return "\n".join([*lines, *([""] if notes else []), *wrapped])


def aligned(rows: list[list[str]]) -> list[str]:
    """Lines of a table without the columns that are empty, but for the first; words are flush left."""
    kept = [column for column in range(len(rows[0])) if column == 0 or any(row[column] for row in rows[1:])]
    widths = [max(len(row[column]) for row in rows) for column in kept]
    return [
        "  ".join(
            row[column].ljust(width) if column == 0 or not rows[0][column] else row[column].rjust(width)
            for column, width in zip(kept, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def cell(value: object) -> str:
    """Any value of a row as a short text; empty for None."""
    if isinstance(value, int | str | bool) or value is None:
        return "" if value is None else str(value)
    return short_number(value) if isinstance(value, float | list) else str(value)
