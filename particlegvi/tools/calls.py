"""Calls of the public constructors and functions with wrong arguments, answered as wrong keys of a scenario are.

Python's own ``TypeError`` says what was unexpected and not what was meant. `answered` and `answering` add the nearest
name, what is allowed, and for some arguments how to come by them. A right call costs nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import ParamSpec, TypeVar

from particlegvi.tools.errors import BadCall
from particlegvi.tools.quoting import shown
from particlegvi.tools.registry import unknown

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)

FORMULA = 'pg.Loss.from_formula("t**2", ["t"])'
# What is meant by an argument that does not exist; {value} is what was given.
MEANT = {
    "lengthscale": ("kernel", "kernel=pg.kernels.SquaredExponential(lengthscale={value})"),
    "samples": ("embedding", 'embedding={{"how": "monte-carlo", "samples": {value}}}'),
}
# Other words for an argument, where it has it.
ALSO_CALLED = {
    "mu": "mean", "loc": "mean", "sigma": "sd", "std": "sd", "scale": "sd", "temperature": "kl_weight",
    "n": "particles", "lr": "step_size", "eta": "step_size", "learning_rate": "step_size", "iterations": "steps",
    "df": "degrees_of_freedom", "nu": "degrees_of_freedom", "ell": "lengthscale", "sigma2": "variance",
}  # fmt: skip
# How to come by an argument that is missing.
NEEDED = {
    "Loss": f"a Loss is made by pg.Loss.from_numpy(value, gradient, dim=1), {FORMULA} or pg.losses.get(NAME)",
    "gradient": f"a formula has an exact one, {FORMULA}; one by hand is checked against differences",
    "variables": f"the names of the coordinates in their order, as in {FORMULA}",
    "dim": "the number of coordinates, such as dim=1",
    "method": "for example pg.methods.DLE(kl_weight=1.0)",
    "loss": f"for example pg.losses.get(NAME) or {FORMULA}",
}


def answered(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function: a call with wrong arguments is a `BadCall` of one sentence."""

    @wraps(function)
    def called(*given: P.args, **named: P.kwargs) -> R:
        try:
            return function(*given, **named)
        except TypeError as error:
            told = _told(function, given, named)
            if told is None or isinstance(error, BadCall):
                raise
            raise BadCall(told) from None

    return called


def answering(cls: C) -> C:
    """Decorate a class: the same for what makes its objects."""
    makes = "__new__" if "__new__" in vars(cls) else "__init__"
    made = answered(vars(cls)[makes].__func__ if makes == "__new__" else vars(cls)[makes])
    setattr(cls, makes, staticmethod(made) if makes == "__new__" else made)
    return cls


def _told(function: Callable[..., object], given: tuple[object, ...], named: Mapping[str, object]) -> str | None:
    """The fault of the arguments; None where they fit, and the error came from somewhere inside."""
    signature = inspect.signature(function)
    try:
        signature.bind(*given, **named)
    except TypeError:
        pass
    else:
        return None
    owner = _owner(function)
    parameters = list(signature.parameters.values())
    if parameters and parameters[0].name in ("self", "cls"):
        parameters, given = parameters[1:], given[1:]
    names = [each.name for each in parameters]
    positional = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    for word, value in named.items():
        if word not in names:
            return str(unknown(f"argument of {owner}", word, names, _meant(word, value, names)))
    if len(given) > len(positional):
        return f"{owner} must be called with at most {len(positional)} positional arguments, not {len(given)}"
    twice = [name for name in positional[: len(given)] if name in named]
    if twice:
        return f"{owner} must be given {twice[0]} once, not by its place and by its name"
    there = {*positional[: len(given)], *named}
    needed = [each.name for each in parameters if each.default is each.empty and each.kind is not each.VAR_KEYWORD]
    missing = [name for name in needed if name not in there]
    help_with = NEEDED.get("Loss" if owner == "Loss" else missing[0], "")
    words = " and ".join(f'"{name}"' for name in missing)
    several = "the arguments {} of {} are missing" if len(missing) > 1 else "the argument {} of {} is missing"
    return several.format(words, owner) + f"; {help_with}" * bool(help_with)


def _meant(word: str, value: object, names: Sequence[str]) -> str:
    """The right name of an argument, where a table has it; empty where the nearest name has to do."""
    argument, said = MEANT.get(word, ("", ""))
    if argument in names:
        return said.format(value=shown(value))
    other = ALSO_CALLED.get(word, "")
    return shown(other) if other in names else ""


def _owner(function: Callable[..., object]) -> str:
    """The name under which a user calls it: a class for what makes its objects, else the function's own."""
    name = function.__qualname__.split("<locals>.")[-1]
    return name.removesuffix(".__init__").removesuffix(".__new__")
