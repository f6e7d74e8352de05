"""The summary of a scenario over functions as a table for a terminal, in plain ASCII."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from particlegvi.contracts import Facts, Scenario
from particlegvi.scenario.kinds.text_table import MISSING, Column, described, percent, printed, short_number


def evidence(facts: Facts) -> Any:
    """log p(y) of the exact process, or the evidence lower bound of a sparse one."""
    value = facts["run"].get("log_marginal_likelihood", facts["run"].get("bound"))
    return MISSING if value is None else float(value)


COLUMNS = (
    Column("model", None, "method"),
    Column("", "steps", "steps", str),
    Column("log_density", "log density of the data"),
    Column("rmse", "error of the mean of y", "truth.rmse"),
    Column("covered", "truth in the 90% band", "truth.covered", percent),
    Column("covered_at_data", "at the data", "bands.data.covered", percent),
    Column("evidence", "log p(y), or its bound", evidence),
)


def describe(scenario: Scenario, summary: Facts) -> str:
    """Heading, one row per method, and notes on the fit of each method."""
    methods = summary["methods"]
    observed = next((f"{facts['observations']} observations, " for facts in methods.values()), "")
    notes = [note for label, facts in methods.items() for note in _notes(label, facts)]
    return described(scenario, summary, f"{observed}{scenario['particles']} functions", [cells(summary)], notes)


def cells(summary: Facts) -> list[list[str]]:
    """The table as texts, its head first; the model's name follows a label that differs from it."""
    name = lambda label, facts: label if label == facts["method"] else f"{label} ({facts['method']})"
    return printed(COLUMNS, summary["methods"], name)


def _nats(value: float | str) -> str:
    return value if isinstance(value, str) else f"{short_number(value)} nats"


def _notes(label: str, facts: Mapping[str, Any]) -> list[str]:
    notes = []
    signs = facts.get("signs")
    if signs:
        place = short_number(signs["input"] if len(signs["input"]) > 1 else signs["input"][0])
        notes.append(f"{signs['positive']:.0%} of the functions are positive at x = {place}")
    if signs and "mixed" in signs:
        notes.append(
            f"at the data with y >= 1 {signs['as_truth']:.0%} have the signs of the truth, {signs['mirrored']:.0%} the"
            f" opposite ones, {signs['mixed']:.0%} some of each"
        )
    run = facts["run"]
    if "kl_to_posterior" in run:
        notes.append(f"KL to the posterior {_nats(run['kl_to_posterior'])}")
    if "exact" in run:
        exact = run["exact"]
        errors = f"mean off by {short_number(exact['mean_error'])}, sd by {short_number(exact['sd_error'])}"
        notes.append(f"KL to the exact process {_nats(exact['kl'])}; {errors}")
    equilibrium = facts.get("equilibrium")
    if equilibrium:
        reached = "equilibrium reached" if equilibrium["reached"] else f"not in equilibrium: {equilibrium['because']}"
        notes.append(reached)
    return [f"{label}: {note}" for note in notes]
