"""One way of saying where a formula is wrong: the sentence, the formula, and a caret under the place."""

from __future__ import annotations

SHOWN = 72  # characters of a long formula around the place


def mistake(formula: str, column: int, sentence: str) -> ValueError:
    """The error, ready to raise, for ``column`` (counted from 0) of a formula."""
    start = max(0, min(column - SHOWN // 2, len(formula) - SHOWN))
    before, after = ("..." if start else ""), ("..." if start + SHOWN < len(formula) else "")
    # One printed character for each of the formula's, so that the caret stands where it should.
    window = "".join(_printed(character) for character in formula[start : start + SHOWN])
    caret = " " * (len(before) + column - start) + "^"
    return ValueError(f"formula, column {column + 1}: {sentence}\n    {before}{window}{after}\n    {caret}")


def _printed(character: str) -> str:
    if character.isspace():
        return " "
    return character if character.isprintable() else "?"
