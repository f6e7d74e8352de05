"""The keys of a scenario over functions, and the checks of their values."""

from __future__ import annotations

from typing import Any

from particlegvi.contracts import Facts
from particlegvi.settings import checks, keys
from particlegvi.settings.keys import Key
from particlegvi.tools.quoting import refuse
from particlegvi.tools.registry import check_parameters, look_up

FORMULA = checks.text(2000)
FUNCTIONALS = ("intervals", "slopes")
OF_LINE = {"formula": Key(FORMULA, "the true function"), **keys.on_the_line(100, scattered=False)}
OF_CLUSTERS = {
    "formula": OF_LINE["formula"],
    "clusters": Key(checks.points, "the centres of the inputs"),
    "spread": Key(keys.ABOVE_ZERO, "the standard deviation of the inputs around a centre", 1.0),
    "count": OF_LINE["count"],
}
OF_NAMED = {
    "name": Key(checks.text(80), "a data set"),
    "scale": Key(checks.flag, "whether inputs and targets are scaled", True),
}
MOST_FEATURES = 20_000
NUMBER, WHOLE = checks.number(), checks.whole(1, MOST_FEATURES)
OF_INTERVAL = {
    "name": Key(checks.text(80), "the kind of features"),
    "low": Key(NUMBER, "the left end of their interval", keys.REQUIRED),
    "high": Key(NUMBER, "its right end", keys.REQUIRED),
}
OF_FEATURES: dict[str, dict[str, Key]] = {  # by name
    "fourier": {
        **OF_INTERVAL,
        "frequencies": Key(WHOLE, "the number of frequencies", keys.REQUIRED),
        "ends": Key(checks.flag, "whether values at the ends are features as well", False),
    },
    "windows": {
        **OF_INTERVAL,
        "count": Key(WHOLE, "the number of windows, evenly placed from low to high", keys.REQUIRED),
        "width": Key(checks.number(least=0.0), "the standard deviation of each", keys.REQUIRED),
    },
    "mercer": {
        "name": OF_INTERVAL["name"],
        "mean": Key(NUMBER, "the mean of the law of the inputs", 0.0),
        "sd": Key(keys.ABOVE_ZERO, "its standard deviation", 1.0),
        "size": Key(WHOLE, "the number of eigenfunctions", keys.REQUIRED),
    },
}


def data(value: Any, key: str) -> Facts:
    """A table with a formula and the places of its inputs, with points, or with the name of a data set."""
    table = keys.part(value, key, ("formula", "points", "name"))
    if "points" in table:
        return keys.observations(table, key)
    if "name" in table:
        return keys.filled(table, OF_NAMED, key, f"{key} with a name")
    if any(name in table for name in FUNCTIONALS):
        return _functionals(table, key)
    if "clusters" in table:
        return keys.filled(table, OF_CLUSTERS, key, f"{key} with clusters")
    drawn = keys.filled(table, OF_LINE, key, f"{key} with a formula")
    keys.check_low_high(drawn, key)
    return drawn


def _functionals(table: Facts, key: str) -> Facts:
    """A formula that is observed by means over intervals and by slopes."""
    check_parameters(f"{key} with intervals or slopes", table, ("formula", *FUNCTIONALS))
    slopes = table.get("slopes", [])
    if not isinstance(slopes, list):
        raise refuse(f"{key}.slopes", slopes, "a list of the inputs at which the slope is observed")
    checked = {
        "formula": FORMULA(table["formula"], f"{key}.formula"),
        "intervals": checks.intervals(table.get("intervals", []), f"{key}.intervals"),
        "slopes": [checks.number()(slope, f"{key}.slopes[{index}]") for index, slope in enumerate(slopes)],
    }
    if not checked["intervals"] and not checked["slopes"]:
        raise ValueError(f"{key}.intervals must be a list of at least one interval, as there are no slopes")
    return checked


def inducing_points(value: Any, key: str) -> Any:
    """The number of inducing points, or a list of the points."""
    if isinstance(value, list):
        return checks.points(value, key)
    return checks.whole(1, 20_000)(value, key)


def parameters(value: Any, key: str) -> Facts:
    """The parameters of a part: a table of numbers, texts and lists of numbers."""
    if not isinstance(value, dict):
        raise refuse(key, value, "a table")
    for name, parameter in value.items():
        if isinstance(parameter, dict) or (
            isinstance(parameter, list) and not all(isinstance(x, int | float) for x in parameter)
        ):
            raise refuse(f"{key}.{name}", parameter, "a number, a text, a boolean or a list of numbers")
    return value


def named(value: Any, key: str) -> Facts:
    """A table that names one part of a registry."""
    return parameters(keys.part(value, key), key)


def covariance(value: Any, key: str) -> Facts:
    return named({"name": keys.DEFAULT_KERNEL, **value} if isinstance(value, dict) else value, key)


def features(value: Any, key: str) -> Facts:
    """Functionals, or an eigenbasis, in the place of inducing points."""
    table = keys.part(value, key)
    of_key = look_up("kind of features", table["name"], OF_FEATURES)
    checked = keys.filled(table, of_key, key, f"features {table['name']}")
    if "low" in checked:
        keys.check_low_high(checked, key)
    return checked


def method(value: Any, key: str) -> Facts:
    if isinstance(value, dict) and "features" in value:
        rest = {name: parameter for name, parameter in value.items() if name != "features"}
        return {**method(rest, key), "features": features(value["features"], f"{key}.features")}
    if isinstance(value, dict) and isinstance(value.get("prior"), dict) and set(value["prior"]) == {"name"}:
        value = {**value, "prior": value["prior"]["name"]}  # in a method the prior is a name; elsewhere it is a table
    return parameters(value, key)


KEYS = {
    **keys.HEAD,
    "particles": Key(checks.whole(1, 1_000_000), "number of functions that are sampled", 100),
    "steps": Key(checks.whole(1, 10**9), "number of updates; absent: as many as equilibrium takes"),
    "step_size": Key(keys.ABOVE_ZERO, "eta, the time of one update; absent: chosen from the curvature"),
    "inducing_points": Key(inducing_points, "number of points among the inputs, or a list of points", keys.REQUIRED),
    "data": Key(data, "a formula with its inputs, points [x, y], or the name of a data set", keys.REQUIRED),
    "kernel": Key(covariance, "the covariance of the prior: a name with parameters", keys.REQUIRED),
    "likelihood": Key(named, "the law of y given the function: a name with parameters", keys.REQUIRED),
    "methods": Key(keys.entries(method), "the methods, each with its settings", keys.REQUIRED),
    **keys.TAIL,
}
