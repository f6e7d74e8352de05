"""The parameters of public constructors and functions: wrong calls are explained, and each is described once.

Python's own ``TypeError`` names the argument that was not expected. `explains_bad_calls` adds the nearest name, the
allowed names, and for some arguments an example, in the form of the sentences about wrong keys of a scenario. A correct
call is not slower.

`shares_parameters` completes a docstring with entries of a base class or of another function: ``help`` and the
reference show every parameter, and the code has its words at one place.
"""

from __future__ import annotations

import inspect
import re
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


# The words before the section Parameters, its entries, and the sections that follow.
_PARTS = re.compile(r"(.*?)(?:\n\nParameters\n-{3,}\n(.*?))?(\n\n\w[\w ]*\n-{3,}\n.*)?", re.DOTALL)


def _parts(documented: object) -> tuple[str, str, str]:
    match = _PARTS.fullmatch(inspect.cleandoc(documented.__doc__ or ""))
    assert match is not None  # it matches every text
    return match[1], match[2] or "", match[3] or ""


def entries(documented: object) -> dict[str, str]:
    """The entries of the section Parameters of an object's docstring, by the names in their first lines."""
    by_name = {}
    for entry in filter(None, re.split(r"\n(?=\S)", _parts(documented)[1])):
        for name in entry.partition("\n")[0].partition(" :")[0].split(", "):
            by_name[name.lstrip("*")] = entry
    return by_name


def form_and_words(entry: str) -> tuple[str, str]:
    """The type of a parameter, as its entry says it, and its meaning on one line."""
    head, _, words = entry.partition("\n")
    return head.partition(" : ")[2], " ".join(words.split())


def shares_parameters(*sources: object) -> Callable[[C], C]:
    """Decorate a function or a class: add the entries of parameters that its docstring does not have.

    They are those of ``sources``, and for a class of its bases.
    """

    def completed(documented: C) -> C:
        if documented.__doc__ is not None:  # python -OO has no docstrings
            before, _, after = _parts(documented)
            known = entries(documented)
            for source in (*sources, *(documented.__mro__[1:] if isinstance(documented, type) else ())):
                known = {**entries(source), **known}
            said = [known[name] for name in inspect.signature(documented).parameters if name in known]
            section = "\n".join(dict.fromkeys([*said, *entries(documented).values()]))
            documented.__doc__ = f"{before}\n\nParameters\n----------\n{section}{after}\n"
        return documented

    return completed
