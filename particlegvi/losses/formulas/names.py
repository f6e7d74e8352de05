"""The variables of a formula that is given without them, and whether a text is meant as a formula at all."""

from __future__ import annotations

import re

from particlegvi.losses.formulas.graph import FUNCTIONS
from particlegvi.losses.formulas.tokens import tokens
from particlegvi.tools.quoting import refuse

NAME = re.compile(r"[^\W\d]\w*(?:-\w+)*")  # as the registry names losses: words and hyphens


def is_formula(text: str) -> bool:
    """Whether a text can be no name of a loss: "x^2" and "cos(t)" are formulas, "double-wel" is a mistyped name."""
    legible = all(character.isprintable() or character.isspace() for character in text)
    return legible and bool(text.strip()) and not NAME.fullmatch(text.strip())


def variables_of(formula: str) -> list[str]:
    """The names in a formula that are no functions or constants, in the order in which they first appear.

    A name that only ever stands before a parenthesis is a function, if a mistyped one, and no variable.

    Raises
    ------
    ValueError
        If the formula has a character that no formula has, or no variable.
    """
    found = list(tokens(formula))
    names = [
        token.text
        for token, following in zip(found, found[1:], strict=False)
        if token.kind == "name" and following.kind != "(" and token.text not in FUNCTIONS and token.text != "pi"
    ]
    if not names and all(token.kind != "name" or token.text in (*FUNCTIONS, "pi") for token in found):
        raise refuse("formula", formula, "one with a variable at least")
    return list(dict.fromkeys(names)) or ["x"]
