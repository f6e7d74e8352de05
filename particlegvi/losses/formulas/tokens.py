"""Cuts a formula into numbers, names, operators and parentheses, and says where it is wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

SHOWN = 72  # characters of a long formula around the place of a mistake
DIGITS = "0123456789"
HINTS = {
    "²": "write **2",
    "³": "write **3",
    "×": "write *",
    "·": "write *",
    "÷": "write /",
    "−": "write - (this one is a typographic minus)",
    "–": "write - (this one is a dash)",
    "π": "write pi",
    "√": "write sqrt(...)",
    "|": "write abs(...)",
    ",": "a decimal point is written . and every function takes one argument",
    "[": "use round parentheses",
    "{": "use round parentheses",
    "=": "give only the expression",
    "!": "there is no factorial",
}


class Token(NamedTuple):
    """``kind`` is "number", "name", "end", or the operator or parenthesis itself (``^`` is read as ``**``)."""

    kind: str
    text: str
    column: int
    number: float = 0.0


def tokens(formula: str) -> Iterator[Token]:
    """The tokens from left to right, the last of kind "end"."""
    column = 0
    while column < len(formula):
        character = formula[column]
        if character.isspace():
            column += 1
        elif character in DIGITS or (character == "." and formula[column + 1 : column + 2] in list(DIGITS)):
            end = _end_of_number(formula, column)
            text = formula[column:end]
            number = float(text)
            if not math.isfinite(number):
                raise mistake(formula, column, f"the number {_short(text)} is too large")
            yield Token("number", text, column, number)
            column = end
        elif is_letter(character):
            end = column + 1
            while end < len(formula) and (is_letter(formula[end]) or formula[end] in DIGITS):
                end += 1
            yield Token("name", formula[column:end], column)
            column = end
        elif formula.startswith("**", column):
            yield Token("**", "**", column)
            column += 2
        elif character in "+-*/()":
            yield Token(character, character, column)
            column += 1
        elif character == "^":
            yield Token("**", "^", column)
            column += 1
        else:
            hint = HINTS.get(character, "a formula has numbers, names, + - * / ** ^ and parentheses")
            raise mistake(formula, column, f"the character {ascii(character)} is not part of a formula; {hint}")
    yield Token("end", "", len(formula))


def is_letter(character: str) -> bool:
    """Whether a name may start with this character: a letter of any alphabet, or an underscore; never pi's sign."""
    return character != "π" and (character == "_" or character.isalpha())


def _end_of_number(formula: str, column: int) -> int:
    column = _end_of_digits(formula, column)
    if formula[column : column + 1] == ".":
        column = _end_of_digits(formula, column + 1)
    if formula[column : column + 1] in ("e", "E"):
        sign = 1 if formula[column + 1 : column + 2] in ("+", "-") else 0
        end = _end_of_digits(formula, column + 1 + sign)
        if end == column + 1 + sign:
            raise mistake(formula, column, "the exponent of this number has no digits")
        column = end
    return column


def _end_of_digits(formula: str, column: int) -> int:
    while column < len(formula) and formula[column] in DIGITS:
        column += 1
    return column


def _short(text: str) -> str:
    return text if len(text) <= 24 else text[:21] + "..."


def mistake(formula: str, column: int, sentence: str) -> ValueError:
    """The error for ``column`` (from 0) of a formula: the sentence, the formula, and a caret under the place."""
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
