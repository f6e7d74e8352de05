"""The summary of a scenario of networks as a table for a terminal, in plain ASCII."""

from __future__ import annotations

from particlegvi.contracts import Facts, Scenario
from particlegvi.scenario.kinds.text_table import Column, described, percent, printed, short_number

COLUMNS = (
    Column("model", None, "method"),
    Column("rmse", "rmse"),
    Column("nll", "nll"),
    Column("nll_spread", "nll of the spread alone"),
    Column("accuracy", "accuracy"),
    Column("coverage_90", "90% band covers", form=percent),
    Column("spread", "spread"),
    Column("auroc", "auroc"),
    Column("auroc_beyond", "auroc beyond"),
    Column("confidence_far", "confidence far"),
)
OF_A_REGION = [column for column in COLUMNS if column.key in ("nll", "coverage_90", "spread")]
ELSEWHERE = ("gap", "outside")


def describe(scenario: Scenario, summary: Facts) -> str:
    """Heading, one row per method, and the scores between and beyond the data."""
    methods = summary["methods"]
    observed = next((f"{facts['observations']} training rows, " for facts in methods.values()), "")
    on = next((f", scores on {facts['scored_on']} rows" for facts in methods.values() if "scored_on" in facts), "")
    places = [name for name in ELSEWHERE if any(name in facts.get("regions", {}) for facts in methods.values())]
    tables = [printed(COLUMNS, methods), *([_elsewhere(methods, places)] if places else [])]
    notes = [
        f"{label}: the interaction moves a network by {short_number(lengths['interaction'])}, its gradient by"
        f" {short_number(lengths['gradient'])}, noise by {short_number(lengths['noise'])};"
        f" parameters are {short_number(lengths['size'])} long."
        for label, facts in methods.items()
        if (lengths := facts.get("displacement")) and facts["weights"]["mmd_weight"] > 0.0
    ]
    return described(scenario, summary, f"{observed}{scenario['particles']} networks{on}", tables, notes)


def _elsewhere(methods: Facts, places: list[str]) -> list[list[str]]:
    """The scores of each method in these regions, and those of the process that the data were drawn from."""
    columns = [
        column._replace(heading=f"{place}: {column.heading}", value=f"regions.{place}.{column.key}")
        for place in places
        for column in OF_A_REGION
    ]
    known = next((facts["reference"] for facts in methods.values() if "reference" in facts), None)
    return printed(columns, {**methods, **({"true Gaussian process": {"regions": known}} if known else {})})
