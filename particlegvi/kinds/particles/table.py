"""The summary as a table for a terminal, in plain ASCII."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from particlegvi.schedules import shown

WIDTH = 99
WIDEST = 4  # coordinates of a mean that are written out


def describe(scenario: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    """Heading, one row per method, and below them what each method says about how it was simulated."""
    methods = summary["methods"]
    lines = [
        f"{scenario['name']}: {scenario['title']}" if scenario["title"] else scenario["name"],
        f"{scenario['particles']} particles, {scenario['steps']} steps of {shown(scenario['step_size'])}, "
        f"seed {summary['seed']}, {summary['status']}",
        "",
    ]
    plane = any("sliced_w1" in facts for facts in methods.values())
    rows = [["method", "mean", "sd", "sliced W1" if plane else "W1 to truth", "exact draws", ""]]
    rows += [_row(label, facts) for label, facts in methods.items()]
    lines += _aligned(rows, always=3)
    checks = [["method", "free energy", "of truth", "excess energy", "expected", "R-hat", "ESS"]]
    checks += [_checks(label, facts) for label, facts in methods.items()]
    if any(cell for row in checks[1:] for cell in row[2:]):
        lines += ["", *_aligned([row for row in checks if any(row[1:])], always=1)]
    notes = [note for label, facts in methods.items() for note in _notes(label, facts)]
    wrapped = [textwrap.fill(note, WIDTH, subsequent_indent="    ", break_long_words=False) for note in notes]
    return "\n".join([*lines, *([""] if notes else []), *wrapped])


def _aligned(rows: list[list[str]], always: int) -> list[str]:
    """Lines of a table without the columns that are empty, the first ``always`` apart; words are flush left."""
    last = len(rows[0]) - 1
    kept = [column for column in range(last + 1) if column < always or any(row[column] for row in rows[1:])]
    widths = [max(len(row[column]) for row in rows) for column in kept]
    return [
        "  ".join(
            row[column].ljust(width) if column == 0 or not rows[0][column] else row[column].rjust(width)
            for column, width in zip(kept, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def _checks(label: str, facts: Mapping[str, Any]) -> list[str]:
    """The free energy and the excess energy beside their values under Q*, and whether the chains agree."""
    energy, excess, chains = (facts.get(key) or {} for key in ("free_energy", "excess_energy", "chains"))
    return [
        label,
        _number(energy["total"][-1]) if energy else "",
        _number(energy["target"]["total"]) if "target" in energy else "",
        _number(excess["mean"]) if excess else "",
        _number(excess["expected"]) if excess else "",
        _worst(chains, max) if chains else "",
        _worst(chains, min) if chains else "",
    ]


def _worst(chains: Mapping[str, Any], of: Any) -> str:
    known = [value for value in chains["r_hat" if of is max else "effective_sample_size"] if value is not None]
    return ("%.2f" if of is max else "%.0f") % of(known) if known else ""


def _row(label: str, facts: Mapping[str, Any]) -> list[str]:
    distance, floor = (facts.get(key, facts.get(f"sliced_{key}")) for key in ("w1", "w1_floor"))
    return [
        label,
        _number(facts["mean"]),
        _number(facts["sd"]),
        _number(distance) if distance is not None else "",
        f"{_number(floor[0])} to {_number(floor[1])}" if floor else "",
        facts.get("verdict", ""),
    ]


def _number(value: Any) -> str:
    if value is None:
        return "not finite"
    if isinstance(value, list):
        shown = ", ".join(_number(each) for each in value[:WIDEST])
        return f"({shown}{', ...' if len(value) > WIDEST else ''})"
    if value != 0.0 and not 1e-3 <= abs(value) < 1e6:
        return f"{value:.3g}"
    return f"{value:.3f}"


def _notes(label: str, facts: Mapping[str, Any]) -> list[str]:
    """Counts and choices that do not fit into the row, one line each."""
    notes = [facts["equilibrium"]["verdict"]] if "equilibrium" in facts else []
    for basin in facts.get("basins", [])[:8]:
        low, high = basin["limits"]
        within = "within" if low <= basin["count"] <= high else "outside"
        notes.append(f"{basin['count']} at {_number(basin['atom'])}, {within} the 99% limits {low} to {high}")
    if "mode_occupancy" in facts and not notes:
        counts = facts["mode_occupancy"]
        notes.append(f"{sum(count > 0 for count in counts)} of {len(counts)} modes: {_few(counts)} particles")
    run = facts.get("run", {})
    if "replicates" in run:
        mean, low, high = run["replicates"]["mean_modes_covered"]
        number = run["replicates"]["number"]
        interval = f"on average over {number} replicates, 95% interval {low:.2f} to {high:.2f}"
        # where all agree, the interval from their spread has no width and says nothing
        notes.append(f"{mean:.2f} modes {interval}" if high > low else f"{mean:g} modes in each of {number} replicates")
    if "mean" in run and "sd" in run:
        notes.append(f"fitted Gaussian: mean {_number(run['mean'])}, sd {_number(run['sd'])}")
    if "optima" in facts:
        found, reached = facts["optima"]["all"], facts["optima"]["reached"]
        where = (
            "none" if reached is None else f"mean {_number(found[reached]['mean'])}, sd {_number(found[reached]['sd'])}"
        )
        notes.append(f"local optimum of this start, one of {len(found)}: {where}")
    if "lengthscale_rule" in run:
        notes.append(f"{run['kernel']} kernel, {run['lengthscale_rule']}")
    if "embedding" in run:
        notes.append(f"mean embedding: {run['embedding']}")
    if "acceptance_rate" in run:
        notes.append(f"{run['integrator']}: {run['acceptance_rate']:.1%} of the proposals accepted")
    if run.get("repulsion"):
        used = ", ".join(f"{way} ({steps} steps)" for way, steps in run["repulsion"].items())
        bound = f", error at most {run['repulsion_error_bound']:.0e}" if run["repulsion_error_bound"] else ""
        notes.append(f"repulsion: {used}{bound}")
    if facts["target"].get("reason"):
        notes.append(f"no truth to compare with: {facts['target']['reason']}")
    return [f"{label}: {note}" for note in notes]


def _few(counts: list[int]) -> str:
    return ", ".join(map(str, counts[:12])) + (", ..." if len(counts) > 12 else "")
