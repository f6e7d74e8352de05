"""Functions fitted to data: chapter 6 of the thesis."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from particlegvi.kinds._kind import Kind, Progress
from particlegvi.registry import check_parameters
from particlegvi.scenario import checks, keys
from particlegvi.scenario.checks import refuse
from particlegvi.scenario.keys import Key

if TYPE_CHECKING:
    from particlegvi.results import Results
    from particlegvi.results.folder import Folder

DRAWN = {"low": -3.0, "high": 3.0, "count": 100, "scattered": False, "gaps": []}


def data(value: Any, key: str) -> dict[str, Any]:
    """A table with a formula and where its inputs lie, with points, or with the name of a data set."""
    table = keys.part(value, key, ("formula", "points", "name"))
    if "points" in table:
        check_parameters(f"{key} with points", table, ("points",))
        given = checks.points(table["points"], f"{key}.points")
        if len(given[0]) < 2:
            raise refuse(f"{key}.points", "a list of points whose last number is y, such as [[0.0, 1.5]]", given[0])
        return {"points": given}
    if "name" in table:
        check_parameters(f"{key} with a name", table, ("name", "scale"))
        return {"name": table["name"], "scale": _flag(table.get("scale", True), f"{key}.scale")}
    check_parameters(f"{key} with a formula", table, ("formula", *DRAWN))
    full = {**DRAWN, **table}
    found = {
        "formula": checks.text(2000)(full["formula"], f"{key}.formula"),
        "low": checks.number()(full["low"], f"{key}.low"),
        "high": checks.number()(full["high"], f"{key}.high"),
        "count": checks.whole(1, 1_000_000)(full["count"], f"{key}.count"),
        "scattered": _flag(full["scattered"], f"{key}.scattered"),
        "gaps": _gaps(full["gaps"], f"{key}.gaps"),
    }
    if not found["low"] < found["high"]:
        raise ValueError(f"{key}.low must be below {key}.high, which is {found['high']:g}, not {found['low']:g}")
    return found


def _flag(value: Any, key: str) -> bool:
    if not isinstance(value, bool):
        raise refuse(key, "true or false", value)
    return value


def _gaps(value: Any, key: str) -> list[list[float]]:
    if not value and isinstance(value, list):
        return []
    found = checks.points(value, key)
    if any(len(each) != 2 or not each[0] < each[1] for each in found):
        raise refuse(key, "a list of intervals [low, high] with low < high", value)
    return found


def inducing_points(value: Any, key: str) -> Any:
    """Their number, or the points themselves."""
    if isinstance(value, list):
        return checks.points(value, key)
    return checks.whole(1, 20_000)(value, key)


def parameters(value: Any, key: str) -> dict[str, Any]:
    """A table of numbers, texts and lists of numbers: what a part is made with."""
    if not isinstance(value, dict):
        raise refuse(key, "a table", value)
    for name, each in value.items():
        if isinstance(each, dict) or (isinstance(each, list) and not all(isinstance(x, int | float) for x in each)):
            raise refuse(f"{key}.{name}", "a number, a text, a boolean or a list of numbers", each)
    return value


def named(value: Any, key: str) -> dict[str, Any]:
    """A table that names one part of a registry."""
    return parameters(keys.part(value, key), key)


def covariance(value: Any, key: str) -> dict[str, Any]:
    return named({"name": keys.DEFAULT_KERNEL, **value} if isinstance(value, dict) else value, key)


def methods(value: Any, key: str) -> dict[str, Any]:
    return keys.entries(value, key, method)


def method(value: Any, key: str) -> dict[str, Any]:
    if isinstance(value, dict) and isinstance(value.get("prior"), dict) and set(value["prior"]) == {"name"}:
        value = {**value, "prior": value["prior"]["name"]}  # here it is a name, and no table that a name is short for
    return parameters(value, key)


class FunctionSpace(Kind):
    """Data, a Gaussian prior over functions, a likelihood, and the methods that fit them."""

    name = "function-space"
    keys = {
        **keys.HEAD,
        "particles": Key(checks.whole(1, 1_000_000), "number of functions that are sampled", 100),
        "steps": Key(checks.whole(1, 10**9), "number of updates; absent: as many as equilibrium takes"),
        "step_size": Key(keys.POSITIVE, "eta, the time of one update; absent: chosen from the curvature"),
        "inducing_points": Key(inducing_points, "how many are chosen among the inputs, or the points", keys.REQUIRED),
        "data": Key(data, "a formula with its inputs, points [x, y], or the name of a data set", keys.REQUIRED),
        "kernel": Key(covariance, "the covariance of the prior: a name with parameters", keys.REQUIRED),
        "likelihood": Key(named, "the law of y given the function: a name with parameters", keys.REQUIRED),
        "methods": Key(methods, "the methods, each with its settings", keys.REQUIRED),
        **keys.TAIL,
    }

    def build(self, scenario: Mapping[str, Any]) -> Any:
        from particlegvi.posteriors import building

        return building.build(scenario)

    def simulate(
        self,
        results: Results,
        label: str,
        folder: Folder | None,
        progress: Progress | None,
        checkpoint_every: float,
    ) -> None:
        from particlegvi.results.keeper import FolderKeeper

        hear = None if progress is None else partial(progress, label)
        keeper = None if folder is None else FolderKeeper(folder, label, checkpoint_every)
        begun = time.perf_counter()
        run = results.parts.fit(label, results.seed, hear, keeper)
        run.fit.info["seconds"] = time.perf_counter() - begun + (keeper.earlier if keeper else 0.0)
        results.add(label, run)
        if folder is not None:
            self.write(folder, label, run)

    def stored(self, folder: Folder, results: Results, label: str) -> Any:
        if label not in folder.manifest["methods"]:
            return None
        positions, steps, info = folder.record(label)
        try:
            return results.parts.loaded(label, results.seed, positions, steps, info, folder.others(label))
        except (LookupError, ValueError, TypeError) as error:
            raise ValueError(f"{folder.path} is damaged: {label}: {error}") from None

    def write(self, folder: Folder, label: str, run: Any) -> None:
        from particlegvi.results.folder import Record

        fit = run.fit
        info = {name: value for name, value in fit.info.items() if name != "seconds"}
        record = Record(fit.positions, fit.steps, info)
        folder.add(label, record, fit.info.get("seconds"), others=fit.arrays)

    def facts(self, results: Results, label: str) -> dict[str, Any]:
        from particlegvi.posteriors.numbers import facts

        return facts(results[label])

    def checked(self, summary: dict[str, Any] | None) -> dict[str, Any] | None:
        from particlegvi.posteriors.numbers import checked

        return checked(summary)

    def describe(self, results: Results) -> str:
        from particlegvi.results.functions_table import describe

        return describe(results.scenario, results.summary)

