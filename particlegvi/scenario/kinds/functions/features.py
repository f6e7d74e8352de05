"""The features of a method, made from their table in a scenario."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.functionspace.functionals import Fourier, Functionals, Windows
from particlegvi.tools.arguments import not_negative, real, whole
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import check_parameters, look_up

MOST = 20_000


def _fourier(given: Facts, number: int | None) -> Functionals:
    check_parameters("features fourier", given, ("low", "high", "frequencies", "ends"))
    _needed("fourier", given, ("low", "high", "frequencies"))
    frequencies = given["frequencies"] if number is None else number
    return Fourier(given["low"], given["high"], frequencies, given.get("ends", False))


def _windows(given: Facts, number: int | None) -> Functionals:
    """Windows of one width, evenly placed from low to high."""
    check_parameters("features windows", given, ("low", "high", "count", "width"))
    _needed("windows", given, ("low", "high", "count", "width"))
    low, high = (real(f"features.{key}", given[key]) for key in ("low", "high"))
    if not low < high:
        raise refuse("features.high", given["high"], f"above low, which is {low:g}")
    count = whole("features.count", given["count"] if number is None else number, 1, MOST)
    return Windows(np.linspace(low, high, count)[:, None], not_negative("features.width", given["width"]))


MAKERS: dict[str, Callable[[Facts, int | None], Functionals]] = {"fourier": _fourier, "windows": _windows}


def made(settings: Facts, number: int | None = None) -> Functionals:
    """The functionals of a table with a name; ``number`` replaces its frequencies or its count."""
    make = look_up("kind of features", settings["name"], MAKERS)
    return make({key: value for key, value in settings.items() if key != "name"}, number)


def _needed(name: str, given: Facts, keys: tuple[str, ...]) -> None:
    for key in keys:
        if key not in given:
            raise ValueError(f"features {name} must have the key {key}")
