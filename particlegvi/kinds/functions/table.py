"""The summary of a scenario over functions as a table for a terminal, in plain ASCII."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from particlegvi.kinds.particles.table import WIDTH, _aligned, _number


def describe(scenario: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    """Heading, one row per method, and what the methods say about themselves."""
    methods = summary["methods"]
    observed = next((f"{facts['observations']} observations, " for facts in methods.values()), "")
    lines = [
        f"{scenario['name']}: {scenario['title']}" if scenario["title"] else scenario["name"],
        f"{observed}{scenario['particles']} functions, seed {summary['seed']}, {summary['status']}",
        "",
    ]
    rows = [["method", "steps", "log density of the data", "error of the mean of y", "truth in the 90% band"]]
    rows += [_row(label, facts) for label, facts in methods.items()]
    notes = [note for label, facts in methods.items() for note in _notes(label, facts)]
    wrapped = [textwrap.fill(note, WIDTH, subsequent_indent="    ", break_long_words=False) for note in notes]
    return "\n".join([*lines, *_aligned(rows, always=3), *([""] if notes else []), *wrapped])


def _row(label: str, facts: Mapping[str, Any]) -> list[str]:
    truth = facts.get("truth")
    named = label if label == facts["method"] else f"{label} ({facts['method']})"
    return [
        named,
        str(facts["steps"]),
        _number(facts["log_density"]),
        _number(truth["rmse"]) if truth else "",
        f"{truth['covered']:.0%}" if truth else "",
    ]


def _notes(label: str, facts: Mapping[str, Any]) -> list[str]:
    notes = []
    signs = facts.get("signs")
    if signs:
        place = _number(signs["input"] if len(signs["input"]) > 1 else signs["input"][0])
        notes.append(f"{signs['positive']:.0%} of the functions are positive at x = {place}")
    if signs and "mixed" in signs:
        notes.append(
            f"at the data with y >= 1 {signs['as_truth']:.0%} have the signs of the truth, {signs['mirrored']:.0%} the"
            f" opposite ones, {signs['mixed']:.0%} some of each"
        )
    equilibrium = facts.get("equilibrium")
    if equilibrium:
        reached = "equilibrium reached" if equilibrium["reached"] else f"not in equilibrium: {equilibrium['because']}"
        notes.append(reached)
    return [f"{label}: {note}" for note in notes]
