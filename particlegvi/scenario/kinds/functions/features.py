"""The table ``features`` of a method: functionals or an eigenbasis in the place of inducing points."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.functionspace.basis.mercer import Mercer
from particlegvi.functionspace.covariances.covariance import Covariance, Product
from particlegvi.functionspace.functionals import Fourier, Functionals, TensorProduct, Windows
from particlegvi.tools.arguments import not_negative, real, whole
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import check_parameters, look_up

MOST_FEATURES = 20_000
MERCER = "mercer"


def checked(features: Facts | None) -> Facts | None:
    """The table, if it is one whose functionals can be made; None where there is none."""
    if features is None:
        return None
    if not isinstance(features, dict):
        raise refuse("features", features, 'a table such as {name = "fourier", low = 0, high = 1, frequencies = 9}')
    if features["name"] == MERCER:
        check_parameters("features mercer", features, ("name", "mean", "sd", "size"))
        _needed(MERCER, features, ("size",))
        whole("features.size", features["size"], 1, MOST_FEATURES)
    else:
        functionals_of(features)
    return features


def features_of(settings: Facts, kernel: Covariance, inputs: int, number: int | None = None) -> Functionals | Mercer:
    """The functionals or the basis for so many inputs; ``number`` replaces frequencies, count or size.

    Of several inputs they are the products of functionals of each coordinate.
    """
    if settings["name"] == MERCER:
        size = settings["size"] if number is None else number
        return Mercer(kernel, settings.get("mean", 0.0), settings.get("sd", 1.0), size, inputs=inputs)
    of = functionals_of(settings, number)
    if inputs > 1:
        if not isinstance(kernel, Product):
            raise ValueError(
                f'features {settings["name"]} of {inputs} inputs need a kernel with by_coordinate="product"'
            )
        of = TensorProduct(*[of] * inputs)
    of.check(kernel)
    if len(of) > MOST_FEATURES:
        raise refuse("features", len(of), f"at most {MOST_FEATURES} functionals of all coordinates together")
    return of


def _fourier(table: Facts, number: int | None) -> Functionals:
    check_parameters("features fourier", table, ("low", "high", "frequencies", "ends"))
    _needed("fourier", table, ("low", "high", "frequencies"))
    frequencies = table["frequencies"] if number is None else number
    return Fourier(table["low"], table["high"], frequencies, table.get("ends", False))


def _windows(table: Facts, number: int | None) -> Functionals:
    """Windows of one width, evenly placed from low to high."""
    check_parameters("features windows", table, ("low", "high", "count", "width"))
    _needed("windows", table, ("low", "high", "count", "width"))
    low, high = (real(f"features.{key}", table[key]) for key in ("low", "high"))
    if not low < high:
        raise refuse("features.high", table["high"], f"above low, which is {low:g}")
    count = whole("features.count", table["count"] if number is None else number, 1, MOST_FEATURES)
    return Windows(np.linspace(low, high, count)[:, None], not_negative("features.width", table["width"]))


MAKERS: dict[str, Callable[[Facts, int | None], Functionals]] = {"fourier": _fourier, "windows": _windows}


def functionals_of(settings: Facts, number: int | None = None) -> Functionals:
    """The functionals of a table with a name; ``number`` replaces its frequencies or its count."""
    make = look_up("kind of features", settings["name"], MAKERS)
    return make({key: value for key, value in settings.items() if key != "name"}, number)


def _needed(name: str, table: Facts, keys: tuple[str, ...]) -> None:
    for key in keys:
        if key not in table:
            raise ValueError(f"features {name} must have the key {key}")
