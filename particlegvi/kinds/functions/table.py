"""The summary of a scenario over functions as a table for a terminal, in plain ASCII."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from particlegvi.contracts import Facts, Scenario
from particlegvi.kinds.text_table import aligned, heading, number, wrapped


def describe(scenario: Scenario, summary: Facts) -> str:
    """Heading, one row per method, and what the methods say about themselves."""
    methods = summary["methods"]
    observed = next((f"{facts['observations']} observations, " for facts in methods.values()), "")
    lines = [
        heading(scenario),
        f"{observed}{scenario['particles']} functions, seed {summary['seed']}, {summary['status']}",
        "",
    ]
    notes = [note for label, facts in methods.items() for note in _notes(label, facts)]
    return "\n".join([*lines, *aligned(cells(summary), always=3), *wrapped(notes)])


def cells(summary: Facts) -> list[list[str]]:
    """The table as texts, its head first."""
    head = [
        "method", "steps", "log density of the data", "error of the mean of y", "truth in the 90% band", "at the data",
        "log p(y), or its bound",
    ]  # fmt: skip
    return [head, *(_row(label, facts) for label, facts in summary["methods"].items())]


def rows(runs: Mapping[str, Any], summary: Facts) -> list[Facts]:
    """One row per method; ``rmse`` and ``covered`` are None where the truth is not known."""
    found = []
    for label, facts in summary["methods"].items():
        truth = facts.get("truth") or {}
        found.append({
            "method": label,
            "model": facts["method"],
            "log_density": facts["log_density"],
            "rmse": truth.get("rmse"),
            "covered": truth.get("covered"),
            "covered_at_data": facts.get("bands", {}).get("data", {}).get("covered"),
            "evidence": _evidence(facts),
            "seconds": runs[label].info.get("seconds"),
        })  # fmt: skip
    return found


def _row(label: str, facts: Mapping[str, Any]) -> list[str]:
    truth, evidence = facts.get("truth"), _evidence(facts)
    named = label if label == facts["method"] else f"{label} ({facts['method']})"
    return [
        named,
        str(facts["steps"]),
        number(facts["log_density"]),
        number(truth["rmse"]) if truth else "",
        f"{truth['covered']:.0%}" if truth else "",
        f"{facts['bands']['data']['covered']:.0%}" if "bands" in facts else "",
        number(evidence) if evidence is not None else "",
    ]


def _nats(found: float | str) -> str:
    return found if isinstance(found, str) else f"{number(found)} nats"


def _evidence(facts: Mapping[str, Any]) -> float | None:
    """log p(y) of the exact process, or the bound of a sparse one."""
    found = facts["run"].get("log_marginal_likelihood", facts["run"].get("bound"))
    return None if found is None else float(found)


def _notes(label: str, facts: Mapping[str, Any]) -> list[str]:
    notes = []
    signs = facts.get("signs")
    if signs:
        place = number(signs["input"] if len(signs["input"]) > 1 else signs["input"][0])
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
        errors = f"mean off by {number(exact['mean_error'])}, sd by {number(exact['sd_error'])}"
        notes.append(f"KL to the exact process {_nats(exact['kl'])}; {errors}")
    equilibrium = facts.get("equilibrium")
    if equilibrium:
        reached = "equilibrium reached" if equilibrium["reached"] else f"not in equilibrium: {equilibrium['because']}"
        notes.append(reached)
    return [f"{label}: {note}" for note in notes]
