"""What a kind of figure is: a function from results and options to a figure, known by a name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from matplotlib.figure import Figure

from particlegvi.plotting.checking import check_option
from particlegvi.quoting import shown
from particlegvi.registry import Registry, check_parameters

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
