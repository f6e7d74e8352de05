"""Kinds of figure: functions from results and options to a figure, known by a name; and what an option may be."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from matplotlib.figure import Figure

from particlegvi.tools.quoting import shown
from particlegvi.tools.registry import Registry, check_parameters

kinds = Registry("particlegvi.plotting", "kind of figure")


def figure_kind(name: str) -> Callable[[Callable[..., Figure]], Callable[..., Figure]]:
    """Make the function below a kind of figure: its keyword-only parameters are the options a scenario may set."""

    def mark(function: Callable[..., Figure]) -> Callable[..., Figure]:
        function.name = name  # type: ignore[attr-defined]
        return function

    return mark


def options(name: str) -> dict[str, Any]:
    """The options of a kind of figure with their default values.

    Raises
    ------
    ValueError
        If there is no such kind.
    """
    parameters = inspect.signature(kinds[name]).parameters.values()
    return {each.name: each.default for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY}


def check(specification: Mapping[str, Any]) -> None:
    """Refuse a bad entry of ``[[figures]]``: an unknown kind or option, or a value that cannot be.

    The command line calls this before anything is simulated.

    Raises
    ------
    ValueError
        Naming the kind or the option, and the nearest right one or what it may be.
    """
    if not isinstance(specification, Mapping):
        raise ValueError(f"a figure is {shown(specification)}; a table with the key kind is allowed")
    if "kind" not in specification:
        raise ValueError(f'every entry of [[figures]] needs a "kind"; allowed: {", ".join(kinds.names())}')
    name = specification["kind"]
    allowed = options(name)
    given = {key: value for key, value in specification.items() if key != "kind"}
    check_parameters(f'the figure "{name}"', given, allowed)
    for key, value in given.items():
        check_option(name, key, value, allowed[key])


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
