"""What a value of a scenario may be: small checks that return it in its plain form or say in one sentence why not.

A check is called with a value and the full name of its key ("methods.DLE.kl_weight").
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Any

from particlegvi.tools.quoting import shown
from particlegvi.tools.registry import unknown

Check = Callable[[Any, str], Any]

DEEPEST = 8  # tables and lists inside one another; the deepest key of a real scenario is four levels down
LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 _+=-]{0,38}[A-Za-z0-9+])?")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def refuse(key: str, allowed: str, value: Any) -> ValueError:
    return ValueError(f"{key} must be {allowed}, not {shown(value)}")


def whole(low: int, high: int) -> Check:
    """A whole number in a range; a float without a fraction, such as 1e5, is one."""

    def check(value: Any, key: str) -> int:
        good = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
        if not good or value != int(value):
            raise refuse(key, f"a whole number from {low} to {high}", value)
        return int(value)

    return check


def number(above: float = -math.inf, below: float = math.inf, least: float = -math.inf, allowed: str = "") -> Check:
    """A finite number with ``above < value < below`` and ``value >= least``."""

    def check(value: Any, key: str) -> float:
        good = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1e308
        if not (good and above < value < below and value >= least):
            raise refuse(key, allowed or "a finite number", value)
        return float(value)

    return check


def text(longest: int, lines: bool = False) -> Check:
    allowed = f"a text of at most {longest} characters" + ("" if lines else " on one line")

    def check(value: Any, key: str) -> str:
        if not isinstance(value, str) or len(value) > longest:
            raise refuse(key, allowed, value)
        if any(ord(c) < 32 and not (lines and c in "\n\t") or 0xD800 <= ord(c) < 0xE000 or c == "\x7f" for c in value):
            raise refuse(key, allowed + ", without control characters", value)
        return value

    return check


def matching(pattern: re.Pattern[str], allowed: str) -> Check:
    def check(value: Any, key: str) -> str:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise refuse(key, allowed, value)
        return value

    return check


def one_of(names: Iterable[str], kind: str) -> Check:
    known = list(names)

    def check(value: Any, key: str) -> str:
        if not isinstance(value, str) or value not in known:
            raise ValueError(f"{key}: {unknown(kind, value, known)}")
        return value

    return check


def point(value: Any, key: str) -> list[float]:
    """One point: a list of coordinates, or a number in one dimension."""
    coordinates = value if isinstance(value, list) else [value]
    if not 1 <= len(coordinates) <= 10_000:
        raise refuse(key, "a point, a list of at least one number", value)
    return [number()(coordinate, key) for coordinate in coordinates]


def points(value: Any, key: str) -> list[list[float]]:
    """At least one point, all of the same dimension."""
    if not isinstance(value, list) or not value:
        raise refuse(key, "a list of points, such as [[0.0, 1.0], [2.0, 3.0]]", value)
    found = [point(each, f"{key}[{index}]") for index, each in enumerate(value)]
    if len({len(each) for each in found}) > 1:
        raise ValueError(f"{key} must be points of one dimension, not a mixture of several")
    return found


def plain(value: Any, key: str, depth: int = 0) -> Any:
    """Plain data only: texts, booleans, finite numbers, and lists and tables of them, not too deep.

    Whatever else a file or a caller brings (dates, objects) stops here, before any other check looks at it.
    """
    if depth > DEEPEST:
        raise ValueError(f"{key[:60]} is nested more than {DEEPEST} levels deep")
    if isinstance(value, dict):
        for name in value:
            if not isinstance(name, str) or not 1 <= len(name) <= 80 or not name.isprintable():
                where = key or "the scenario"
                raise ValueError(f"{where} has the key {shown(name)}; 1 to 80 printable characters are allowed")
        return {name: plain(each, f"{key}.{name}" if key else name, depth + 1) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each, f"{key}[{index}]", depth + 1) for index, each in enumerate(value)]
    if isinstance(value, str | bool):
        return value
    if isinstance(value, int | float):
        if not abs(value) <= 1e308:
            raise refuse(key, "finite", value)
        return value
    raise refuse(key, "a text, a number, a boolean, a list or a table", value)
