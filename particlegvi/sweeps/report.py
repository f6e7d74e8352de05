"""``table.md`` and ``sweep.json``: marginal means with intervals over seeds, and the best settings."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import product

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.settings.grids import is_higher_better
from particlegvi.sweeps.table import GridNumbers, as_text

BEST = 5


def interval(values: Array) -> tuple[float, float, float] | None:
    """Mean over the seeds that have a number, and its 95% interval (Student); None for fewer than two seeds."""
    from scipy.special import stdtrit

    known = values[np.isfinite(values)]
    if len(known) < 2:
        return None
    mean, error = float(known.mean()), float(known.std(ddof=1)) / len(known) ** 0.5
    width = float(stdtrit(len(known) - 1, 0.975)) * error
    return mean, mean - width, mean + width


def average(values: Array, axis: int | tuple[int, ...]) -> Array:
    """Means without the NaN; NaN if all are NaN."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found: Array = np.nanmean(values, axis=axis)
    return found


def marginals(sweep: GridNumbers, measure: str, method: str) -> dict[str, list[Facts]]:
    """By key, for each value: the mean over other keys and seeds, its interval, and the number of stopped cells."""
    values, stopped = sweep.values(measure, method), sweep.stopped(method)
    keys = list(sweep.over)
    found: dict[str, list[Facts]] = {}
    for axis, key in enumerate(keys):
        others = tuple(place for place in range(len(keys)) if place != axis)
        entries = []
        for place, value in enumerate(sweep.over[key]):
            by_seed = average(np.take(values, [place], axis), axis=(axis, *others))
            entries.append({"value": value, **_spread(by_seed), "stopped": int(np.take(stopped, place, axis).sum())})
        found[key] = entries
    return found


def _spread(by_seed: Array) -> Facts:
    known = by_seed[np.isfinite(by_seed)]
    limits = interval(by_seed)
    mean = float(known.mean()) if len(known) else None
    return {"mean": mean, "low": limits and limits[1], "high": limits and limits[2], "seeds": len(known)}


def best(sweep: GridNumbers, measure: str, method: str, number: int = BEST) -> list[Facts]:
    """The settings with the best means over the seeds, lowest or highest; only settings with a number for each seed."""
    values = sweep.values(measure, method)
    grid = list(product(*sweep.over.values()))
    means = values.reshape(len(grid), -1)
    whole = [place for place in range(len(grid)) if np.isfinite(means[place]).all()]
    sign = -1.0 if is_higher_better(measure) else 1.0
    whole.sort(key=lambda place: (sign * float(means[place].mean()), place))
    chosen = whole[:number]
    return [{"setting": dict(zip(sweep.over, grid[place], strict=True)), **_spread(means[place])} for place in chosen]


def facts(sweep: GridNumbers, versions: dict[str, str]) -> Facts:
    """The content of ``sweep.json``."""
    return {
        "scenario": sweep.scenario["name"],
        "over": sweep.over,
        "seeds": sweep.seeds,
        "versions": versions,
        "cells": len(sweep),
        "stopped": {method: int(sweep.stopped(method).sum()) for method in sweep.methods},
        "measures": sweep.measures,
        "methods": {
            method: {
                measure: {"best": best(sweep, measure, method), "marginal": marginals(sweep, measure, method)}
                for measure in _known(sweep, method)
            }
            for method in sweep.methods
        },
    }


def _known(sweep: GridNumbers, method: str) -> list[str]:
    """The measures that a method has."""
    return [name for name in sweep.measures if sweep.has(name, method)]


def markdown(sweep: GridNumbers) -> str:
    """The content of ``table.md``; its first line counts the cells and those that diverged."""
    blocks = [sweep.headline(), f"# {sweep.scenario['title'] or sweep.scenario['name']}"]
    swept = ", ".join(f"`{key}` ({len(values)} values)" for key, values in sweep.over.items()) or "seeds alone"
    blocks.append(f"Swept: {swept}. Means are over the seeds, with 95% intervals of the mean.")
    for measure in sweep.measures:
        for method in sweep.methods:
            if measure in _known(sweep, method):
                blocks += _blocks(sweep, measure, method)
    return "\n\n".join(blocks) + "\n"


def _blocks(sweep: GridNumbers, measure: str, method: str) -> Iterator[str]:
    yield f"## {measure}, {method}"
    if sweep.over:
        word = "highest" if is_higher_better(measure) else "lowest"
        chosen = best(sweep, measure, method)
        head = ["rank", *sweep.over, measure, "95% interval"]
        rows = [
            [str(place + 1), *(as_text(each) for each in entry["setting"].values()), *_numbers(entry)]
            for place, entry in enumerate(chosen)
        ]
        yield f"The settings with the {word} means:\n\n{_table(head, rows)}"
    else:
        yield _table([measure, "95% interval"], [_numbers(_spread(sweep.values(measure, method)))])
    for key, entries in marginals(sweep, measure, method).items():
        rows = [[as_text(entry["value"]), *_numbers(entry), str(entry["stopped"])] for entry in entries]
        over = "the seeds" if len(sweep.over) == 1 else "the other keys and the seeds"
        yield f"By `{key}`, averaged over {over}:\n\n{_table([key, measure, '95% interval', 'diverged'], rows)}"


def _numbers(entry: Facts) -> list[str]:
    mean, low, high = entry["mean"], entry["low"], entry["high"]
    return ["-" if mean is None else f"{mean:.4g}", "-" if low is None else f"{low:.4g} to {high:.4g}"]


def _table(head: list[str], rows: list[list[str]]) -> str:
    every = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(each.replace('|', '/') for each in line)} |" for line in every)
