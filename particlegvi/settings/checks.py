"""The checks of the values of a scenario: numbers by `particlegvi.tools.arguments`; texts, names and plain data here.

A check is called with a value and the full name of its key ("methods.DLE.kl_weight"); it returns the value in its plain
form or raises a ``ValueError`` of one sentence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Any

from particlegvi.tools.machine import is_device
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import unknown

Check = Callable[[Any, str], Any]

LARGEST = 1e308
DEEPEST = 8  # levels of tables and lists inside one another; a real scenario has at most four
LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 _+=-]{0,38}[A-Za-z0-9+])?")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def whole(low: int, high: int) -> Check:
    """A whole number in a range; a float without a fraction, such as 1e5, is one."""

    def check(value: Any, key: str) -> int:
        from particlegvi.tools import arguments  # here, since it loads numpy, which a list of scenarios does without

        return arguments.whole(key, value, low, high)

    return check


def number(above: float = -math.inf, below: float = math.inf, least: float = -math.inf, allowed: str = "") -> Check:
    """A finite number with ``above < value < below`` and ``value >= least``; errors say ``allowed``, or the limits."""
    limits = (("above", above), ("below", below), ("of at least", least))
    words = " and ".join(f"{word} {limit:g}" for word, limit in limits if math.isfinite(limit))
    allowed = allowed or f"a finite number {words}".strip()

    def check(value: Any, key: str) -> float:
        from particlegvi.tools import arguments

        real = arguments.real(key, value, allowed)
        if not (above < real < below and real >= least and abs(real) <= LARGEST):
            raise refuse(key, value, allowed)
        return real

    return check


def flag(value: Any, key: str) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise refuse(key, value, "true or false")
    return value


def text(longest: int, lines: bool = False) -> Check:
    allowed = f"a text of at most {longest} characters" + ("" if lines else " on one line")

    def check(value: Any, key: str) -> str:
        if not isinstance(value, str) or len(value) > longest:
            raise refuse(key, value, allowed)
        if any(ord(c) < 32 and not (lines and c in "\n\t") or 0xD800 <= ord(c) < 0xE000 or c == "\x7f" for c in value):
            raise refuse(key, value, allowed + ", without control characters")
        return value

    return check


def matching(pattern: re.Pattern[str], allowed: str) -> Check:
    def check(value: Any, key: str) -> str:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise refuse(key, value, allowed)
        return value

    return check


def file_name(pattern: re.Pattern[str], allowed: str) -> Check:
    """A text that matches the pattern and can name a file or folder: names of devices on Windows are refused."""
    matches = matching(pattern, allowed)

    def check(value: Any, key: str) -> str:
        if is_device(matches(value, key)):
            raise refuse(key, value, "none of the names that Windows keeps for devices, such as aux, con, nul and com1")
        return value

    return check


def one_of(names: Iterable[str], kind: str) -> Check:
    known = list(names)

    def check(value: Any, key: str) -> str:
        if not isinstance(value, str) or value not in known:
            raise ValueError(f"{key}: {unknown(kind, value, known)}")
        return value

    return check


def choice(*words: str) -> Check:
    """One of at least two words."""
    allowed = ", ".join(f'"{word}"' for word in words[:-1]) + f' or "{words[-1]}"'

    def check(value: Any, key: str) -> str:
        if not isinstance(value, str) or value not in words:
            raise refuse(key, value, allowed)
        return value

    return check


def list_of(check: Check, allowed: str, most: int | None = 100, distinct: bool = False) -> Check:
    """A list of at least one value, each of which the check takes, and of at most so many; ``distinct``: none twice."""

    def every(value: object, key: str) -> list[Any]:
        if not isinstance(value, list | tuple) or not value or (most is not None and len(value) > most):
            raise refuse(key, value, allowed)
        checked = [check(item, f"{key}[{index}]") for index, item in enumerate(value)]
        if distinct and len(set(checked)) < len(checked):
            raise refuse(key, value, allowed)
        return checked

    return every


def point(value: Any, key: str) -> list[float]:
    """One point: a list of coordinates, or a number in one dimension."""
    coordinates = value if isinstance(value, list) else [value]
    if not 1 <= len(coordinates) <= 10_000:
        raise refuse(key, value, "a point, a list of at least one number")
    return [number()(coordinate, key) for coordinate in coordinates]


def points(value: Any, key: str) -> list[list[float]]:
    """At least one point, all of the same dimension."""
    rows: list[list[float]] = list_of(point, "a list of points, such as [[0.0, 1.0], [2.0, 3.0]]", None)(value, key)
    if len({len(row) for row in rows}) > 1:
        raise ValueError(f"{key} must be points of one dimension, not a mixture of several")
    return rows


def intervals(value: Any, key: str) -> list[list[float]]:
    """Intervals [low, high] with low < high; there may be none."""
    rows = [] if value == [] else points(value, key)
    if any(len(row) != 2 or not row[0] < row[1] for row in rows):
        raise refuse(key, value, "a list of intervals [low, high] with low < high")
    return rows


def plain(value: Any, key: str, depth: int = 0) -> Any:
    """Plain data: texts, booleans, finite numbers, and lists and tables of them, at most `DEEPEST` levels deep.

    This check comes before all others and refuses dates and other objects.
    """
    if depth > DEEPEST:
        raise ValueError(f"{key[:60]} is nested more than {DEEPEST} levels deep")
    if isinstance(value, dict):
        for name in value:
            if not isinstance(name, str) or not 1 <= len(name) <= 80 or not name.isprintable():
                where = key or "the scenario"
                raise refuse(f"every key of {where}", name, "1 to 80 printable characters")
        return {name: plain(part, f"{key}.{name}" if key else name, depth + 1) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part, f"{key}[{index}]", depth + 1) for index, part in enumerate(value)]
    if isinstance(value, str | bool):
        return value
    if isinstance(value, int | float):
        if not abs(value) <= LARGEST:
            raise refuse(key, value, "finite")
        return value
    raise refuse(key, value, "a text, a number, a boolean, a list or a table")
