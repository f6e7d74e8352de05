"""A table as Markdown: a grid of each score under each protocol, with the printed numbers and differences of models."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from particlegvi.scenario.tables.scores import Scores


def markdown(table: Scores) -> str:
    """The whole table, and its note."""
    blocks = list(_by_size(table) if table.has_trials else _by_protocol(table))
    return "\n\n".join([*blocks, table.declared.note] if table.declared.note else blocks) + "\n"


def _by_protocol(table: Scores) -> Iterator[str]:
    for protocol in table.settings.protocols:
        yield f"## Protocol {protocol}"
        cells = [cell for task, cell in table.scores.items() if task.protocol == protocol]
        leaked = [cell["leaked"] for cell in cells if cell.get("leaked", 0.0) > 0.0]
        if leaked:
            yield f"{np.mean(leaked):.0%} of the test rows were trained on."
        for score in table.scores_under(protocol):
            lines = grid(table, protocol, score)
            if len(lines) > 1:
                yield f"### {table.declared.scores[score]}\n\n{_lines(lines)}"
                yield from _differences(table, protocol, score)
        yield from _judgements(table, protocol)


def _by_size(table: Scores) -> Iterator[str]:
    """For each row a grid of each score, with a line for each number of inducing points."""
    models, sizes = table.settings.models, table.settings.protocols
    head = ["inducing points", *map(table.declared.label, models)]
    for row in table.settings.rows:
        yield f"## {table.declared.title(row)}"
        for score, title in table.declared.scores.items():
            lines = [[size, *(table.text(row, model, size, score) for model in models)] for size in sizes]
            if any(table.entry(row, model, size, score) for model in models for size in sizes):
                yield f"### {title}\n\n{_lines([head, *lines])}"


def grid(table: Scores, protocol: str, score: str) -> list[list[str]]:
    """The texts of a score, the head first: a line for each row, columns for printed numbers and then for models.

    Rows and models without an entry are left out.
    """
    declared = table.declared
    rows = [row for row in table.settings.rows if score in declared.scores_of(row)]
    columns, printed = {}, {}
    for model in table.settings.models:
        texts = [table.text(row, model, protocol, score) for row in rows]
        if any(text != "-" for text in texts):
            columns[declared.label(model)] = texts
            pairs = [declared.published(row, model, score) for row in rows]
            if any(pairs):
                printed[f"{declared.label(model)}, printed"] = [table.number_and_sd(pair, score) for pair in pairs]
    lines = [
        [declared.title(row), *(column[place] for column in (*printed.values(), *columns.values()))]
        for place, row in enumerate(rows)
        if any(column[place] != "-" for column in columns.values())
    ]
    return [["", *printed, *columns], *lines]


def cells(table: Scores) -> list[list[str]]:
    """All scores as texts one below the other, with one head; the first columns are protocol and score."""
    models = table.settings.models
    lines = [["protocol", "score", "", *map(table.declared.label, models)]]
    for protocol in table.settings.protocols:
        for score in table.scores_under(protocol):
            for row in table.settings.rows:
                if score in table.declared.scores_of(row):
                    texts = [table.text(row, model, protocol, score) for model in models]
                    lines.append([protocol, score, table.declared.title(row), *texts])
    return lines


def _differences(table: Scores, protocol: str, score: str) -> Iterator[str]:
    """The paired differences of a score to the model of comparison, and of further pairs, with standard errors."""
    declared, rows = table.declared, table.settings.rows
    if score not in declared.compared_in:
        return
    pairs = [(model, declared.compared) for model in table.settings.models_of(protocol)]
    columns = {}
    for model, other in (*pairs, *declared.also_compared):
        gaps = [table.paired(row, model, protocol, score, other) for row in rows]
        if any(gaps):
            columns[f"{declared.label(model)} - {declared.label(other)}"] = gaps
    lines = []
    for place, row in enumerate(rows):
        gaps = [column[place] for column in columns.values()]
        if any(gaps):
            texts = ("-" if gap is None else f"{gap[0]:+.3f} +- {gap[1]:.3f}" for gap in gaps)
            lines.append([declared.title(row), *texts])
    if lines:
        yield f"Differences over the same splits, and their standard errors:\n\n{_lines([['', *columns], *lines])}"


def _judgements(table: Scores, protocol: str) -> Iterator[str]:
    """On which rows the printed numbers are reached."""
    for model in table.declared.judged:
        held = table.held(model, protocol) if model in table.settings.models_of(protocol) else {}
        if held:
            missed = ", ".join(table.declared.title(row) for row, holds in held.items() if not holds) or "none"
            yield (
                f"{table.declared.label(model)}: within one printed standard deviation of the printed number, or"
                f" better, on {sum(held.values())} of {len(held)} rows; not on: {missed}."
            )


def _lines(lines: list[list[str]]) -> str:
    """A grid of texts, its head first, as Markdown."""
    head, *rest = lines
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *rest])
