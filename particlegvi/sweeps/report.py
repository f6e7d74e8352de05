"""A sweep in words: marginal means with intervals over seeds, and the best settings, as text and as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.diagnostics.over_seeds import interval, mean_over
from particlegvi.settings.grids import is_higher_better, possible
from particlegvi.sweeps.grid_table import as_text
from particlegvi.sweeps.numbers import GridNumbers

BEST = 5


def marginals(sweep: GridNumbers, measure: str, method: str) -> dict[str, list[Facts]]:
    """By key, for each value: the mean over other keys and seeds, its interval, and counts of other ends."""
    values, stopped, unsettled = sweep.values(measure, method), sweep.stopped(method), sweep.unsettled(method)
    keys, within = list(sweep.over), possible(measure, sweep.scenario)
    by_key: dict[str, list[Facts]] = {}
    for axis, key in enumerate(keys):
        others = tuple(place for place in range(len(keys)) if place != axis)
        entries = []
        for place, value in enumerate(sweep.over[key]):
            by_seed = mean_over(np.take(values, [place], axis), (axis, *others))
            lost = int(np.take(stopped, place, axis).sum())
            counts = {"stopped": lost, "unsettled": int(np.take(unsettled, place, axis).sum())}
            entries.append({"value": value, **spread(by_seed, within), **counts})
        by_key[key] = entries
    return by_key


def spread(by_seed: Array, within: tuple[float, float]) -> Facts:
    """Mean over the seeds, and its interval as far as the number can be there."""
    known = by_seed[np.isfinite(by_seed)]
    limits = interval(by_seed)
    mean = float(known.mean()) if len(known) else None
    low, high = (None, None) if limits is None else (max(limits[1], within[0]), min(limits[2], within[1]))
    return {"mean": mean, "low": low, "high": high, "seeds": len(known)}


def best(sweep: GridNumbers, measure: str, method: str, number: int = BEST) -> list[Facts]:
    """The settings with the best means over the seeds, lowest or highest; only settings with a number for each seed.

    Settings of which every run is at equilibrium come first; of the others those with fewer runs that are not.
    """
    values = sweep.values(measure, method)
    grid = list(product(*sweep.over.values()))
    means = values.reshape(len(grid), -1)
    whole = [place for place in range(len(grid)) if np.isfinite(means[place]).all()]
    sign = -1.0 if is_higher_better(measure) else 1.0
    unsettled = sweep.unsettled(method).reshape(len(grid), -1).sum(axis=1)
    whole.sort(key=lambda place: (unsettled[place], sign * float(means[place].mean()), place))
    within, verdicts = possible(measure, sweep.scenario), sweep.verdicts(method).reshape(len(grid), -1)
    return [
        {
            "setting": dict(zip(sweep.over, grid[place], strict=True)), **spread(means[place], within),
            "verdicts": dict(Counter(filter(None, verdicts[place]))),
        }
        for place in whole[:number]
    ]  # fmt: skip


def as_facts(sweep: GridNumbers, versions: dict[str, str]) -> Facts:
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
        verdicts = ["verdicts"] if sweep.has_verdicts(method) else []
        head = ["rank", *sweep.over, measure, "95% interval", *verdicts]
        rows = [
            [str(place + 1), *(as_text(value) for value in entry["setting"].values()), *_numbers(entry)]
            + [_counted(entry["verdicts"]) for _ in verdicts]
            for place, entry in enumerate(chosen)
        ]
        first = ", those at equilibrium first" if verdicts else ""
        yield f"The settings with the {word} means{first}:\n\n{_table(head, rows)}"
    else:
        entry = spread(sweep.values(measure, method), possible(measure, sweep.scenario))
        yield _table([measure, "95% interval"], [_numbers(entry)])
    for key, entries in marginals(sweep, measure, method).items():
        counts = ["stopped", "unsettled"] if sweep.has_verdicts(method) else ["stopped"]
        heads = [key, measure, "95% interval", *("diverged", "not at equilibrium")[: len(counts)]]
        rows = [
            [as_text(entry["value"]), *_numbers(entry), *(str(entry[count]) for count in counts)] for entry in entries
        ]
        over = "the seeds" if len(sweep.over) == 1 else "the other keys and the seeds"
        yield f"By `{key}`, averaged over {over}:\n\n{_table(heads, rows)}"


def _numbers(entry: Facts) -> list[str]:
    mean, low, high = entry["mean"], entry["low"], entry["high"]
    return ["-" if mean is None else f"{mean:.4g}", "-" if low is None else f"{low:.4g} to {high:.4g}"]


def _counted(verdicts: dict[str, int]) -> str:
    """Verdicts of the seeds, the most frequent first: "metastable (2), arrived (1)", or one word where all agree."""
    ordered = sorted(verdicts.items(), key=lambda entry: (-entry[1], entry[0]))
    return ordered[0][0] if len(ordered) == 1 else ", ".join(f"{rule} ({number})" for rule, number in ordered)


def _table(head: list[str], rows: list[list[str]]) -> str:
    every = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(word.replace('|', '/') for word in line)} |" for line in every)
