"""Checks of the options of figures: the values that an option may have, and their plain form.

A check is called with a value and the name of the option, as those of `particlegvi.settings.checks` are, some of which
serve here too. It returns the value as the figure takes it, or raises the ``ValueError`` "KEY must be WHAT, not VALUE".
"""

from __future__ import annotations

from typing import Any

from particlegvi.settings.checks import Check, choice, flag, number, whole
from particlegvi.tools.quoting import refuse

__all__ = ["Check", "choice", "flag", "interval", "labels", "number", "refuse", "whole", "window"]


def labels(value: Any, key: str) -> list[str]:
    """Labels of methods; whether they exist is checked only when a figure is drawn."""
    good = isinstance(value, list | tuple) and len(value) > 0 and all(isinstance(label, str) for label in value)
    if not good:
        raise refuse(key, value, "a list of at least one label of a method")
    return list(value)


def interval(value: Any, key: str) -> tuple[float, float]:
    """Two finite numbers, the lower one first."""
    found = _interval(value)
    if found is None:
        raise refuse(key, value, "[low, high] with low < high")
    return found


def window(value: object, key: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """Part of the plane: an interval of each coordinate."""
    sides = [_interval(side) for side in value] if isinstance(value, list | tuple) and len(value) == 2 else [None]
    if sides[0] is None or sides[1] is None:
        raise refuse(key, value, "[[left, right], [bottom, top]] with left < right and bottom < top")
    return sides[0], sides[1]


def _interval(value: Any) -> tuple[float, float] | None:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    try:
        low, high = (number()(end, "end") for end in value)
    except ValueError:
        return None
    return (low, high) if low < high else None
