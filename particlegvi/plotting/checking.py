"""What an option of a figure may be, so that a slip in a scenario is answered before anything is simulated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from particlegvi.quoting import shown


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1e308


def _whole(low: int, high: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _pair(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all(map(_number, value)) and value[0] < value[1]


def _pairs(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all(map(_pair, value))


def _names(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) > 0 and all(isinstance(name, str) for name in value)


def _width(value: Any) -> bool:
    return (isinstance(value, str) and value == "pi") or (_number(value) and value > 0)


TRUTH_VALUE = (lambda value: isinstance(value, bool), "true or false")
RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "bins": (_whole(1, 1000), "a whole number from 1 to 1000"),
    "bucket": (_whole(-(10**12), 10**12), "a whole number"),
    "bucket_origin": (_number, "a finite number"),
    "bucket_width": (_width, 'a finite number above 0 or "pi"'),
    "input": (_number, "a finite number"),
    "loss": TRUTH_VALUE,
    "methods": (_names, "a list of at least one label of a method"),
    "particles": (_whole(1, 10_000), "a whole number from 1 to 10000"),
    "prior": TRUTH_VALUE,
    "range": (_pair, "[low, high] with low < high"),
    "shares": TRUTH_VALUE,
    "start": TRUTH_VALUE,
    "time": (lambda value: isinstance(value, str) and value in ("auto", "linear", "log"), '"auto", "linear" or "log"'),
    "truth": TRUTH_VALUE,
    "window": (_pairs, "[[left, right], [bottom, top]] with left < right and bottom < top"),
}


def check_option(kind: str, name: str, value: Any, default: Any) -> None:
    """Refuse a value that an option cannot have; an option of which no rule is known may be anything.

    Raises
    ------
    ValueError
        Naming the option, what it may be, and what it is.
    """
    if name not in RULES or (value is None and default is None):
        return
    allows, allowed = RULES[name]
    if not allows(value):
        raise ValueError(f'{name} of the figure "{kind}" must be {allowed}, not {shown(value)}')
