"""Every kind of bad value, and what is wrong with the answers of a call to them.

All values go through each check of values, and a dozen of them through each argument; a slow test gives all of them to
each argument.

A call answers well if it returns, or raises a ``ValueError`` of one line (a formula's shows the place below) that
quotes nothing at length and is not the text of some library about an object that the user never saw; and at once
either way.
"""

from __future__ import annotations

import inspect
import re
import time
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import particlegvi as pg
from particlegvi import contracts

Calls = dict[str, Callable[[Any], Any]]
LONGEST = 600
LIBRARY_TALK = re.compile(
    r"could not convert|unsupported operand|argument must be|ambiguous|not subscriptable|has no attribute|object is not"
    r"|setting an array|not supported between|inhomogeneous|cannot convert|Exceeds the limit|expected str"
)


class Odd:
    """An object whose repr is long and has lines."""

    def __repr__(self) -> str:
        return "odd\n" * 5000


class Broken:
    """An object that cannot be made an array in its own way."""

    def __array__(self, *_, **__):
        raise RuntimeError("no")


LOSS = pg.losses.get("tilted-double-well")
PRIOR = pg.priors.Normal()
KERNEL = pg.kernels.SquaredExponential(1.0)
DLE = pg.methods.DLE()
VALUES: dict[str, Any] = {
    "None": None, "True": True, "text": "1", "empty text": "", "bytes": b"1", "long text": "x" * 100_000,
    "NUL": "a\0b", "lone surrogate": "\ud800", "nan": float("nan"), "inf": float("inf"), "-inf": -float("inf"),
    "-1": -1, "0": 0, "-0.0": -0.0, "2.5": 2.5, "3.0": 3.0, "1e308": 1e308, "-1e308": -1e308, "5e-324": 5e-324,
    "10**400": 10**400, "10**5000": 10**5000, "1j": 1j, "Fraction": Fraction(1, 2), "Decimal": Decimal("1"),
    "signalling nan": Decimal("sNaN"), "[]": [], "[[]]": [[]], "[1, 2, 3]": [1, 2, 3], "ragged": [[1.0], [2.0, 3.0]],
    "[10**400]": [10**400], "['1']": ["1"], "[nan]": [float("nan")], "[True]": [True], "0-d": np.array(1.0),
    "(1,)": np.array([1.0]), "(0,)": np.array([]), "(0, 1)": np.zeros((0, 1)), "(2, 2, 2)": np.zeros((2, 2, 2)),
    "complex array": np.array([1j]), "object array": np.array([None]), "text array": np.array(["a"]),
    "float32": np.float32(0.5), "numpy nan": np.float64("nan"), "int8": np.int8(3), "uint64": np.uint64(2**63),
    "numpy True": np.bool_(True), "date": np.datetime64("2020-01-01"), "time span": np.timedelta64(1),
    "long double": np.longdouble(1e308) * 10, "masked": np.ma.masked, "masked array": np.ma.array([1.0], mask=[True]),
    "object": object(), "odd": Odd(), "broken": Broken(), "dict": {}, "set": set(), "range": range(3), "class": int,
    "a loss": LOSS, "a prior": PRIOR, "a kernel": KERNEL, "a method": DLE,
}  # fmt: skip


# One of each kind: nothing, numbers that are none, ends of ranges, wrong types, shapes and dtypes, and long to print.
DOZEN = ("None", "True", "text", "nan", "-1", "0", "1e308", "10**5000", "[1, 2, 3]", "ragged", "complex array", "odd")
FEW = {name: VALUES[name] for name in DOZEN}


def add(calls: Calls, name: str, function: Callable[..., Any], keys: str, /, **others: Any) -> None:
    """Put these keyword arguments of a function into the table, one by one."""
    for key in keys.split():
        calls[f"{name} {key}"] = lambda value, key=key: function(**others | {key: value})


def table(module: Any, given: dict[str, Any], left_out: str = "") -> Calls:
    """Every argument of every public function of a module but those left out: a new one is tried without being named.

    ``given`` holds a good value of each argument that has no default, or a better one than that, by the argument's
    name or for one function alone by "function argument"; an argument without either is an error.
    """
    calls: Calls = {}
    left = {"register", *left_out.split()}  # what may be registered has tests of its own
    for name in [name for name in module.__all__ if name not in left]:
        part = getattr(module, name)
        if not callable(part):
            continue
        function, kinds = part, (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        keys = {key: each for key, each in inspect.signature(function).parameters.items() if each.kind in kinds}
        others = {key: given.get(f"{name} {key}", given.get(key, each.default)) for key, each in keys.items()}
        missing = [key for key, value in others.items() if value is inspect.Parameter.empty]
        assert not missing, f"{name} has the arguments {missing}, for which no good value is known here"
        add(calls, name, function, " ".join(keys), **others)
    return calls


def checks(*modules: Any) -> Calls:
    """The public functions of these modules that check one value, with good values for what else they need."""
    good = {"key": "x", "dim": 1, "columns": 2, "count": 3, "allowed": "a good value", "shape": (1,)}
    good |= {"most": 10, "y": np.array([1.0]), "contract": contracts.Loss, "article": "a loss"}
    calls: Calls = {}
    for module in modules:
        for name, function in inspect.getmembers(module, inspect.isfunction):
            needed = [key for key, each in inspect.signature(function).parameters.items() if each.default is each.empty]
            if function.__module__ == module.__name__ and name[0] != "_" and {"value", "thing"} & {*needed}:
                others = {key: good[key] for key in needed if key not in ("value", "thing")}
                add(calls, name, function, "value" if "value" in needed else "thing", **others)
    return calls


def answered(calls: Calls) -> tuple[Callable, Callable]:
    """Two tests of a table: a dozen values for each argument, and, slow, every value for every argument."""

    @pytest.mark.parametrize("name", calls)
    def dozen(name):
        wrong = wrong_answers(name, calls[name])
        assert not wrong, "\n".join(wrong)

    @pytest.mark.slow
    def every():
        wrong = all_wrong_answers(calls)
        assert not wrong, "\n".join(wrong)

    return dozen, every


def all_wrong_answers(calls: Calls) -> list[str]:
    """The wrong answers of these calls to all values."""
    return [sentence for name, call in calls.items() for sentence in wrong_answers(name, call, VALUES)]


def wrong_answers(name: str, call: Callable[[Any], Any], values: dict[str, Any] = FEW) -> list[str]:
    """The wrong answers to these values: none, one hopes."""
    wrong = []
    for given, value in values.items():
        begun, answer = time.process_time(), ""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("error", RuntimeWarning)
                warnings.simplefilter("error", np.exceptions.ComplexWarning)
                call(value)
        except ValueError as error:
            answer = str(error)
            lines = 2 if answer.startswith("formula, column") else 0
            if answer.count("\n") > lines or not 10 < len(answer) < LONGEST or LIBRARY_TALK.search(answer):
                wrong.append(f"{name} = {given}: says {answer[:200]!r}")
        except pg.Diverged:
            pass  # what a huge step does
        except Exception as error:
            wrong.append(f"{name} = {given}: {type(error).__name__}: {str(error)[:200]}")
        if time.process_time() - begun > 20.0:  # generous: the first call of its kind compiles
            wrong.append(f"{name} = {given}: took {time.process_time() - begun:.1f} s")
    return wrong
