"""The text of a data set from the raw files of its source, by a recipe of the catalogue: data, and no code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from particlegvi.contracts import Facts

BETWEEN_WORDS = re.compile(r"[,;\s]+")


def texts(recipe: Facts, raw: Sequence[bytes]) -> Iterator[bytes]:
    """The text that a recipe of the catalogue makes of the contents of its raw files, for each order of columns.

    A ValueError if a line after the first row is not a row.
    """
    for turn in range(max(len(part.get("orders", [()])) for part in recipe["raw"])):
        rows: list[str] = []
        for part, content in zip(recipe["raw"], raw, strict=True):
            rows += _rows(recipe, part, content.decode("utf-8", errors="replace"), turn)
        kept = dict.fromkeys(rows) if recipe.get("distinct") else rows
        yield ("\n".join([recipe["header"], *kept]) + "\n").encode()


def _rows(recipe: Facts, part: Facts, text: str, turn: int) -> list[str]:
    """The rows of one raw file, in the order of columns that has the number ``turn``."""
    names, added = recipe["header"].split(","), [str(number) for number in part.get("add", ())]
    taken = names[: len(names) - len(added)]
    order = part["orders"][turn] if "orders" in part else range(1, len(taken) + 1)
    dropped, tables = set(part.get("drop", ())), part.get("words", {})
    rows: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = BETWEEN_WORDS.sub(" ", line).split()
        if not words or dropped.intersection(words):
            continue
        try:
            cells = [
                _cell(words[column - 1], tables.get(name), recipe.get("keep_text", False))
                for name, column in zip(taken, order, strict=True)
            ]
        except (LookupError, ValueError):
            if rows:
                raise ValueError(f"line {number} of {part['path']} is not a row of {len(taken)} numbers") from None
            continue  # a line of the header
        rows.append(",".join([*cells, *added]))
    return rows


def _cell(word: str, table: Mapping[str, int] | None, keep_text: bool) -> str:
    """A number as the file has it; a LookupError or a ValueError if the word is none."""
    if table is not None:
        return str(table[word])
    shortest = repr(float(word)).removesuffix(".0")
    return word if keep_text else shortest
