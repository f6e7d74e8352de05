"""Explanations of wrong calls to public constructors and functions, in the form of those for wrong keys of a scenario.

Python's own ``TypeError`` names the argument that was not expected. `explains_bad_calls` adds the nearest name, the
allowed names, and for some arguments an example. A correct call is not slower.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

from particlegvi.tools.errors import BadCall
from particlegvi.tools.quoting import shown
from particlegvi.tools.registry import unknown

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=Callable[..., Any])

FORMULA = 'pg.Loss.from_formula("t**2", ["t"])'
# The argument that a user means by one that does not exist; {value} is the value that was given.
MEANT = {
    "lengthscale": ("kernel", "kernel=pg.kernels.SquaredExponential(lengthscale={value})"),
    "samples": ("embedding", 'embedding={{"how": "monte-carlo", "samples": {value}}}'),
}
# Other names of an argument.
ALSO_CALLED = {
    "mu": "mean", "loc": "mean", "sigma": "sd", "std": "sd", "scale": "sd", "temperature": "kl_weight",
    "n": "particles", "lr": "step_size", "eta": "step_size", "learning_rate": "step_size", "iterations": "steps",
    "df": "degrees_of_freedom", "nu": "degrees_of_freedom", "ell": "lengthscale", "sigma2": "variance",
}  # fmt: skip
# Examples of an argument that is missing.
NEEDED = {
    "Loss": f"a Loss is made by pg.Loss.from_numpy(value, gradient, dim=1), {FORMULA} or pg.losses.get(NAME)",
    "gradient": f"a formula has an exact one, {FORMULA}; one by hand is checked against differences",
    "variables": f"the names of the coordinates in their order, as in {FORMULA}",
    "dim": "the number of coordinates, such as dim=1",
    "method": "for example pg.methods.DLE(kl_weight=1.0)",
    "loss": f"for example pg.losses.get(NAME) or {FORMULA}",
}


def explains_bad_calls(part: C) -> C:
    """Decorate a function or a class: a call with wrong arguments raises a `BadCall` of one sentence."""
    if not isinstance(part, type):
        return cast("C", _explained(part))
    makes = "__new__" if "__new__" in vars(part) else "__init__"
    made = _explained(vars(part)[makes].__func__ if makes == "__new__" else vars(part)[makes])
    setattr(part, makes, staticmethod(made) if makes == "__new__" else made)
    return part


def _explained(function: Callable[P, R]) -> Callable[P, R]:
    @wraps(function)
    def called(*arguments: P.args, **named: P.kwargs) -> R:
        try:
            return function(*arguments, **named)
        except TypeError as error:
            sentence = None if isinstance(error, BadCall) else _sentence(function, arguments, named)
            if sentence is None:
                raise
            raise BadCall(sentence) from None

    return called


def _sentence(function: Callable[..., object], places: tuple[object, ...], named: Mapping[str, object]) -> str | None:
    """A sentence about the wrong argument; None if the arguments fit, and the error came from inside the function."""
    signature = inspect.signature(function)
    owner = function.__qualname__.split("<locals>.")[-1].removesuffix(".__init__").removesuffix(".__new__")
    if places and isinstance(places[0], type):  # a constructor may be inherited
        owner = places[0].__name__ + (f".{function.__name__}" if function.__name__ != "__new__" else "")
    names = [name for name in signature.parameters if name not in ("self", "cls")]
    try:
        signature.bind(*places, **named)
    except TypeError as error:
        for word, value in named.items():
            if word not in names:
                return str(unknown(f"argument of {owner}", word, names, _meant(word, value, names)))
        needed = NEEDED.get("Loss" if owner == "Loss" else str(error).rpartition(": ")[2].strip("'"), "")
        return f"{owner}: {error}" + f"; {needed}" * bool(needed)
    return None


def _meant(word: str, value: object, names: Sequence[str]) -> str:
    """The right name of an argument from the tables above, or "" if they do not have it."""
    argument, example = MEANT.get(word, ("", ""))
    if argument in names:
        return example.format(value=shown(value))
    other = ALSO_CALLED.get(word, "")
    return shown(other) if other in names else ""
