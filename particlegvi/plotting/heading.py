"""The two lines over a figure: the title of the scenario, and what was run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from particlegvi.plotting.style import LARGE, MEDIUM, SMALL, TEXT_GREY
from particlegvi.schedules import shown

SEPARATOR = "  |  "


def heading(figure: Figure, scenario: Mapping[str, Any], runs: Mapping[str, Any], note: str = "") -> None:
    """The title of the scenario; below it where it comes from, what is shown, and at what settings it was run."""
    title = str(scenario.get("title") or scenario.get("name") or "")
    size = LARGE if len(title) <= 72 else MEDIUM
    height = figure.get_size_inches()[1]
    facts = [*filter(None, [note]), *settings(runs)]
    room = 104 - sum(len(fact) + len(SEPARATOR) for fact in facts)
    source = shortened(str(scenario.get("source") or ""), max(room, 12))
    line = SEPARATOR.join(filter(None, [source, *facts]))
    # Both lines come from the scenario, so what looks like mathematics in them is none.
    figure.text(0.012, 1.0 - 0.10 / height, shortened(title, 88), va="top", parse_math=False, size=size, weight="bold")
    figure.text(0.012, 1.0 - 0.42 / height, line, va="top", parse_math=False, size=SMALL, color=TEXT_GREY)


def shortened(text: str, longest: int) -> str:
    """The text, or its beginning and three dots where it would not fit on a line."""
    return text if len(text) <= longest else text[: longest - 3].rstrip() + "..."


def settings(runs: Mapping[str, Any]) -> list[str]:
    """Particles, steps and seed in words, each named only where all runs agree on it."""
    counts = {int(run.positions.shape[1]) for run in runs.values()}
    lengths = {(int(run.steps[-1]), shown(run.step_size)) for run in runs.values() if not _is_gaussian(run)}
    seeds = {run.seed for run in runs.values()}
    facts = []
    if len(counts) == 1:
        facts.append(f"{counts.pop():,} particles")
    if len(lengths) == 1:
        steps, step_size = lengths.pop()
        facts.append(f"{steps:,} steps of {step_size}")
    if len(seeds) == 1:
        facts.append(f"seed {seeds.pop()}")
    return facts


def _is_gaussian(run: Any) -> bool:
    """Whether the run fitted a Gaussian; its steps are an optimiser's and not comparable."""
    return "mean" in run.info and "sd" in run.info
