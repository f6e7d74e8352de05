"""Losses typed as formulas: ``"3/2*(t**4/4 + t**3/3 - t**2) - 3/8"`` with its exact gradient, at the speed of compiled
code and without compiling anything.

The way of a formula: tokens -> graph (`parser`) -> derivatives (`derivative`) -> powers as products -> programs
(`assembler`) -> the interpreter (`particlegvi.engine.terms.tape`). Nothing is ever given to ``eval``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from particlegvi.losses.formulas.derivative import gradient
from particlegvi.losses.formulas.graph import FUNCTIONS, Graph
from particlegvi.losses.formulas.parser import DIGITS, LONGEST, is_letter, parse
from particlegvi.tools.quoting import refuse

if TYPE_CHECKING:
    from particlegvi.engine.terms.tape import FormulaTape

MOST_VARIABLES = 1000
LONGEST_NAME = 40

__all__ = ["FUNCTIONS", "LONGEST", "MOST_VARIABLES", "checked_variables", "compile_formula", "graph_of"]


def compile_formula(formula: str, variables: Sequence[str] | str) -> FormulaTape:
    """The tape term of a formula and its gradient: a term like any other loss, but with no compilation of its own.

    The formula is an expression in numbers, the variables, ``pi``, ``+ - * / ** ^``, parentheses, and the functions sin
    cos tan exp log sqrt abs tanh cosh sinh; at most 10,000 characters. A power is x to the y for any y that is a
    number, and exp(y log x) otherwise. Where it is not defined, for example at the logarithm of a negative number, it
    is nan. The variables name each coordinate, in order; one string has names separated by commas or spaces.
    """
    from particlegvi.losses.formulas.assembler import Assembler

    return Assembler().assemble(*graph_of(formula, variables))


def graph_of(formula: str, variables: Sequence[str] | str) -> tuple[Graph, list[int]]:
    """The graph of a formula, powers as products, and its nodes that are the value and the derivatives."""
    from particlegvi.losses.formulas.assembler import lower

    names = checked_variables(variables)
    if not isinstance(formula, str):
        raise refuse("formula", formula, "a text")
    graph, value = parse(formula, names)
    return lower(graph, [value, *gradient(graph, value, len(names))])


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
