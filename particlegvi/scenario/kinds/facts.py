"""Facts: the numbers of ``summary.json``, each computed by a function in the folder of its kind.

A fact is a function of one run, marked by `fact`. It returns the keys that it adds to the summary of the run, or {} if
it does not apply. To add a number, add a file in the folder of its kind, for example
``particlegvi/scenario/kinds/particles/facts``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from particlegvi.contracts import Facts
from particlegvi.tools.quoting import shown
from particlegvi.tools.registry import Registry

Form = Callable[[Any], bool]
Compute = Callable[[Any], Facts]
SLIPS = (AttributeError, LookupError, NameError, TypeError)  # of a function that is wrong in itself
KEPT = "; the runs are kept, and resume finishes their folder once the fact is mended"


def fact(place: int, required: tuple[str, ...] = (), **forms: Form) -> Callable[[Compute], Compute]:
    """Mark a function as a fact.

    Parameters
    ----------
    place : int
        Facts are computed, and their keys written, in the order of their places. A fact sees the keys of earlier facts.
    required : tuple of str
        Keys that every summary in a file must have.
    **forms
        For each key, a test of the form of its value in a file. Figures and tables rely on these forms.
    """

    def mark(function: Compute) -> Compute:
        marked: Any = function
        marked.name, marked.place, marked.required, marked.forms = function.__name__, place, required, forms
        return function

    return mark


class FactRegistry:
    """The facts of one kind of scenario, in the modules of a package."""

    def __init__(self, package: str) -> None:
        self._registry: Registry[Any] = Registry(package, "fact")
        self.register = self._registry.register

    def all(self, more: Iterable[str] = ()) -> list[Any]:
        """Every fact of the package, and those of these names from outside, in the order of the places."""
        parts = [*self._registry.parts().values(), *map(self._registry.get, more)]
        return sorted(parts, key=lambda part: part.place)

    def compute(self, run: Any, numbers: Facts, more: Iterable[str] = ()) -> Facts:
        """Compute the facts of `all` in their order, and put their keys into ``numbers``, which ``run`` may also hold.

        A fact from outside names a form for each of its keys, and may not change a key that is there.
        """
        for part in self.all(more):
            try:
                added = part(run)
            except Exception as error:
                if not (part.name in more or isinstance(error, SLIPS)):
                    raise
                kept = KEPT if part.name in more else ""
                raise RuntimeError(f"the fact {part.name} failed: {type(error).__name__}: {error}{kept}") from error
            for key, value in added.items():
                if part.name in more and (key not in part.forms or key in numbers):
                    wrong = (
                        "must have other keys: the summary has" if key in numbers else "must name in @fact a form for"
                    )
                    raise RuntimeError(f"the fact {part.name} {wrong} {key}")
                # a float or a list may hold numbers that are not finite, which are written as null
                if key in part.forms and not (
                    value is None or isinstance(value, float | list) or part.forms[key](value)
                ):
                    raise RuntimeError(f"the fact {part.name} failed: its form refuses {key} = {shown(value)}")
            numbers |= added
        return numbers

    def checked(self, summary: Facts | None) -> Facts | None:
        """Return a stored summary; a ValueError if a key that figures or tables need is missing or wrong."""
        if summary is None:
            return None
        methods = summary.get("methods")
        if not isinstance(methods, dict) or not {"seed", "status"} <= set(summary):
            raise ValueError("it has no seed, no status or no table of methods")
        for part in self.all():
            for label, numbers in methods.items():
                if not isinstance(numbers, dict) or not set(part.required) <= set(numbers):
                    raise ValueError(f"{shown(label)} lacks one of {', '.join(part.required)}")
                for key, has_form in part.forms.items():
                    if numbers.get(key) is not None and not has_form(numbers[key]):
                        raise ValueError(f"{key} of {shown(label)} is {shown(numbers[key])}")
        return summary


def is_number(value: Any) -> bool:
    """Whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def are_numbers(value: Any) -> bool:
    """Whether a value is a list of finite numbers."""
    return isinstance(value, list) and all(map(is_number, value))


def is_interval(value: Any) -> bool:
    """Whether a value is a list of two finite numbers."""
    return are_numbers(value) and len(value) == 2


def is_per_coordinate(value: Any) -> bool:
    """Whether a value is a number, or a list with a number for each coordinate."""
    return is_number(value) or are_numbers(value)


def is_table(value: Any) -> bool:
    """Whether a value is a table."""
    return isinstance(value, dict)


def is_text(value: Any) -> bool:
    """Whether a value is a text."""
    return isinstance(value, str)
