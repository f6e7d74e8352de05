"""Reads a formula: cuts it into tokens, and puts them together with two stacks, without recursion or ``eval``.

Precedence is Python's: ``**`` binds to the right and more tightly than a sign before it, so ``-t**2`` is ``-(t**2)``
and ``2**-t`` is allowed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from particlegvi.losses.formulas.graph import FUNCTIONS, Graph, mistake
from particlegvi.tools.quoting import refuse, shown
from particlegvi.tools.registry import nearest

LONGEST = 10_000  # characters
MOST_VARIABLES = 1000
LONGEST_NAME = 40  # of a variable
NAME = re.compile(r"[^\W\d]\w*(?:-\w+)*")  # as the registry names losses: words and hyphens
DEEPEST = 250  # parentheses, functions, signs and powers that are open at one place

PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "sign": 3, "**": 4}
RIGHT_TO_LEFT = {"**"}
OPERATORS = {"+": Graph.add, "-": Graph.subtract, "*": Graph.multiply, "/": Graph.divide, "**": Graph.power}
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


class _Open(NamedTuple):
    """An operator, a sign, a parenthesis or a function that waits for its right operand."""

    kind: str
    token: Token


def parse(formula: str, variables: Sequence[str]) -> tuple[Graph, int]:
    """The graph of a formula and the number of the node that is its value."""
    if len(formula) > LONGEST:
        raise mistake(formula, LONGEST, f"it has {len(formula)} characters; give at most {LONGEST}")
    reader = _Reader(formula, variables)
    for token in tokens(formula):
        reader.read(token)
    return reader.graph, reader.values[0]


def is_formula(text: str) -> bool:
    """Whether a text can be no name of a loss: "x^2" and "cos(t)" are formulas, "double-wel" is a mistyped name."""
    legible = all(character.isprintable() or character.isspace() for character in text)
    return legible and bool(text.strip()) and not NAME.fullmatch(text.strip())


def variables_of(formula: str) -> list[str]:
    """The variables of a formula: all names but functions and constants, in order of appearance.

    A name that only ever stands before a parenthesis is a function, if a mistyped one, and no variable.
    """
    read = list(tokens(formula))
    names = [
        token.text
        for token, following in zip(read, read[1:], strict=False)
        if token.kind == "name" and following.kind != "(" and token.text not in FUNCTIONS and token.text != "pi"
    ]
    if not names and all(token.kind != "name" or token.text in (*FUNCTIONS, "pi") for token in read):
        raise refuse("formula", formula, "one with a variable at least")
    return list(dict.fromkeys(names)) or ["x"]


class _Reader:
    def __init__(self, formula: str, variables: Sequence[str]) -> None:
        self.formula = formula
        self.coordinates = {name: coordinate for coordinate, name in enumerate(variables)}
        self.graph = Graph(formula)
        self.values: list[int] = []
        self.open: list[_Open] = []
        self.function: Token | None = None  # a function's name, read just now, whose parenthesis must follow
        self.wants_operand = True

    def wrong(self, token: Token, sentence: str) -> ValueError:
        return mistake(self.formula, token.column, sentence)

    def read(self, token: Token) -> None:
        if self.function is not None and token.kind != "(":
            name = self.function.text
            raise self.wrong(self.function, f"the function {name} needs its argument in parentheses: {name}(...)")
        if self.wants_operand:
            self.read_operand(token)
        else:
            self.read_operator(token)

    def read_operand(self, token: Token) -> None:
        if token.kind == "number":
            self.push_value(token, self.graph.constant(token.number))
        elif token.kind == "name" and token.text in self.coordinates:
            self.push_value(token, self.graph.variable(self.coordinates[token.text]))
        elif token.kind == "name" and token.text in FUNCTIONS:
            self.function = token
        elif token.kind == "name" and token.text == "pi":
            self.push_value(token, self.graph.constant(math.pi))
        elif token.kind == "name":
            raise self.wrong(token, self.unknown_name(token.text))
        elif token.kind == "(":
            self.push_open("(", self.function or token)
            self.function = None
        elif token.kind in ("+", "-"):
            self.push_open("sign", token)
        elif token.kind == "end" and not self.values and not self.open:
            raise self.wrong(token, "it is empty")
        else:
            place = "the end" if token.kind == "end" else f'"{token.text}"'
            raise self.wrong(token, f"a number, a name or a parenthesis is missing before {place}")

    def read_operator(self, token: Token) -> None:
        if token.kind == "end":
            self.apply_down_to(0)
            if self.open:
                raise self.wrong(self.open[-1].token, "this parenthesis is never closed")
        elif token.kind == ")":
            self.apply_down_to(0)
            if not self.open:
                raise self.wrong(token, "this parenthesis was never opened")
            opening = self.open.pop().token
            if opening.kind == "name":
                self.graph.column = opening.column
                self.values.append(self.graph.call(opening.text, self.values.pop()))
        elif token.kind in PRECEDENCE:
            precedence = PRECEDENCE[token.kind]
            self.apply_down_to(precedence + 1 if token.kind in RIGHT_TO_LEFT else precedence)
            self.push_open(token.kind, token)
            self.wants_operand = True
        else:
            raise self.wrong(token, f"an operator is missing before {shown(token.text)} (a product is written with *)")

    def push_value(self, token: Token, node: int) -> None:
        self.graph.column = token.column
        self.values.append(node)
        self.wants_operand = False

    def push_open(self, kind: str, token: Token) -> None:
        if len(self.open) >= DEEPEST:
            raise self.wrong(token, f"it is nested too deeply; give at most {DEEPEST} levels")
        self.open.append(_Open(kind, token))

    def apply_down_to(self, precedence: int) -> None:
        """Apply the waiting operators that bind at least as tightly, as far back as the last open parenthesis."""
        while self.open and self.open[-1].kind != "(" and PRECEDENCE[self.open[-1].kind] >= precedence:
            kind, token = self.open.pop()
            self.graph.column = token.column
            right = self.values.pop()
            if kind == "sign":
                self.values.append(self.graph.negate(right) if token.kind == "-" else right)
                continue
            self.values.append(OPERATORS[kind](self.graph, self.values.pop(), right))

    def unknown_name(self, name: str) -> str:
        known = [*self.coordinates, *FUNCTIONS, "pi"]
        shown = name if len(name) <= 40 else name[:37] + "..."
        match = nearest(name, known) if 2 <= len(name) <= 40 else None
        hint = f'did you mean "{match}"? ' if match else ""
        variables = ", ".join(list(self.coordinates)[:8]) + (", ..." if len(self.coordinates) > 8 else "")
        functions = " ".join(FUNCTIONS)
        return f'there is no "{shown}"; {hint}variables: {variables}; functions: {functions}; constant: pi'


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
                shortened = text if len(text) <= 24 else f"{text[:21]}..."
                raise mistake(formula, column, f"the number {shortened} is too large")
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


def checked_variables(variables: Sequence[str] | str) -> list[str]:
    """The variables' names as a list, or a ValueError that names the wrong one."""
    if isinstance(variables, str):
        variables = variables.replace(",", " ").split()
    if not isinstance(variables, list | tuple):
        raise refuse("variables", variables, "a list of names")
    names = list(variables)
    if not 1 <= len(names) <= MOST_VARIABLES:
        raise ValueError(f"variables must be a list of 1 to {MOST_VARIABLES} names, not of {len(names)}")
    taken: set[str] = set()
    for place, name in enumerate(names):
        if not isinstance(name, str) or not name or not is_letter(name[0]):
            raise refuse(f"variables[{place}]", name, "a name that starts with a letter")
        if not all(is_letter(character) or character in DIGITS for character in name):
            raise refuse(f"variables[{place}]", name, "a name of letters, digits and _ only")
        if len(name) > LONGEST_NAME:
            raise refuse(f"variables[{place}]", name, f"a name of at most {LONGEST_NAME} characters")
        if name in FUNCTIONS or name == "pi":
            kind = "a function" if name in FUNCTIONS else "a constant"
            raise refuse(f"variables[{place}]", name, f"another name than that of {kind}")
        if name in taken:
            raise refuse(f"variables[{place}]", name, "a name that no other variable has")
        taken.add(name)
    return names
