"""The summary of a scenario of networks as a table for a terminal, in plain ASCII."""

from __future__ import annotations

from particlegvi.contracts import Facts, Scenario
from particlegvi.kinds.kind import Runs
from particlegvi.kinds.text_table import aligned, heading, number, wrapped

COLUMNS = {  # of the main table: key and heading
    "rmse": "rmse", "nll": "nll", "nll_spread": "nll of the spread alone", "accuracy": "accuracy",
    "coverage_90": "90% band covers", "spread": "spread", "auroc": "auroc", "auroc_beyond": "auroc beyond",
    "confidence_far": "confidence far",
}  # fmt: skip
ELSEWHERE = ("gap", "outside")


def describe(scenario: Scenario, summary: Facts) -> str:
    """Heading, one row per method, and what is known elsewhere."""
    methods = summary["methods"]
    observed = next((f"{facts['observations']} training rows, " for facts in methods.values()), "")
    on = next((f"scores on {facts['scored_on']} rows" for facts in methods.values() if "scored_on" in facts), "")
    lines = [
        heading(scenario),
        f"{observed}{scenario['particles']} networks, seed {summary['seed']}, {summary['status']}",
        on,
        "",
    ]
    table = [["method", *COLUMNS.values()]]
    table += [[label, *(_shown(facts, key) for key in COLUMNS)] for label, facts in methods.items()]
    lines += aligned(table, always=1)
    places = [name for name in ELSEWHERE if any(name in facts.get("regions", {}) for facts in methods.values())]
    if places:
        lines += ["", *aligned(_elsewhere(methods, places), always=1)]
    notes = [
        f"{label}: the interaction moves a network by {number(found['interaction'])}, its gradient by"
        f" {number(found['gradient'])}, noise by {number(found['noise'])}; parameters are {number(found['size'])} long."
        for label, facts in methods.items()
        if (found := facts.get("displacement")) and facts["weights"]["mmd_weight"] > 0.0
    ]
    return "\n".join([*lines, *wrapped(notes)])


def _elsewhere(methods: Facts, places: list[str]) -> list[list[str]]:
    heads = [f"{place}: {what}" for place in places for what in ("nll", "90% band covers", "spread")]
    found = [["method", *heads]]
    known: Facts = next((facts["reference"] for facts in methods.values() if "reference" in facts), {})
    rows = {label: facts.get("regions", {}) for label, facts in methods.items()}
    rows |= {"true Gaussian process": known} if known else {}
    for label, regions in rows.items():
        cells = [_shown(regions.get(place, {}), key) for place in places for key in ("nll", "coverage_90", "spread")]
        found.append([label, *cells])
    return found


def _shown(facts: Facts, key: str) -> str:
    if key not in facts:
        return ""
    return f"{facts[key]:.0%}" if key.startswith("coverage") and facts[key] is not None else number(facts[key])


def rows(runs: Runs, summary: Facts) -> list[Facts]:
    """One row per method with its scores."""
    return [
        {
            "method": label, "model": facts["method"], **{key: facts.get(key) for key in COLUMNS},
            "seconds": runs[label].info.get("seconds"),
        }
        for label, facts in summary["methods"].items()
    ]  # fmt: skip
