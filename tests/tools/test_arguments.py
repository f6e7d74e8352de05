"""Which values each check of numbers and arrays lets through: of all kinds of bad values, and at the ends of ranges."""

import numpy as np
import pytest

from particlegvi.tools import arguments

from ..bad_values import VALUES, checks

CALLS = checks(arguments)
TYPED = {"float32", "int8"}
POSITIVE = {"2.5", "3.0", "uint64", *TYPED}
NOT_NEGATIVE = {"0", "-0.0", "1e308", "5e-324"} | POSITIVE
REAL = {"-1", "-1e308"} | NOT_NEGATIVE
ONE = {"0-d", "(1,)"}
SEQUENCES = {"[1, 2, 3]", "range", "a kernel"}  # a kernel is a tuple of two numbers
EMPTY = {"[]", "(0,)", "(0, 1)"}
NOT_FINITE = {"nan", "inf", "-inf", "[nan]", "numpy nan", "long double"}
ACCEPTED = {
    "array": REAL | NOT_FINITE | EMPTY | SEQUENCES | ONE | {"[[]]", "(2, 2, 2)"},
    "coordinates": REAL | SEQUENCES | ONE,
    "deviations": POSITIVE | ONE,
    "flag": {"True", "numpy True"},
    "fraction": {"5e-324", "float32"},
    "labels": {"[True]", "(1,)", "a kernel"},
    "lengthscale": POSITIVE,
    "locations": REAL | NOT_FINITE | EMPTY | SEQUENCES | ONE,
    "matrix": set(),
    "not_negative": NOT_NEGATIVE,
    "one_or_many": REAL | NOT_FINITE | EMPTY | SEQUENCES | ONE,
    "paired": {"-1", "0", "-0.0", "5e-324"} | POSITIVE | ONE,
    "points": EMPTY | SEQUENCES | {"(1,)"},
    "positive": {"1e308", "5e-324"} | POSITIVE,
    "probabilities": {"0", "-0.0", "5e-324", "float32"} | ONE,
    "real": REAL,
    "record_number": {"-1", "0", "-0.0"},
    "scale": POSITIVE,
    "scales": POSITIVE | ONE | {"[1, 2, 3]", "a kernel"},
    "seed": {"0", "int8", "uint64"},
    "vector": SEQUENCES | {"[True]", "(1,)"},
    "whole": {"0", "-0.0", "3.0", "int8"},
    "wholes": {"[1, 2, 3]", "a kernel"},
}


def accepts(call, value) -> bool:
    try:
        call(value)
    except ValueError:
        return False
    return True


def test_every_check_has_its_row():
    assert {name.removesuffix(" value") for name in CALLS} == ACCEPTED.keys()


@pytest.mark.parametrize("name", ACCEPTED)
@pytest.mark.filterwarnings("ignore")
def test_a_check_lets_through_what_it_says_and_nothing_else(name):
    assert {given for given, value in VALUES.items() if accepts(CALLS[f"{name} value"], value)} == ACCEPTED[name]


@pytest.mark.parametrize(
    ("check", "inside", "outside"),
    [
        (lambda x: arguments.whole("x", x, 2, 5), [2, 5, 5.0], [1, 6, 2.5]),
        (lambda x: arguments.whole("x", x), [arguments.MOST_WHOLE], [arguments.MOST_WHOLE + 1]),
        (arguments.seed, [0, 2**64 - 1, np.uint64(2**64 - 1)], [-1, 2**64, 3.0, np.float64(3.0)]),
        (lambda x: arguments.fraction("x", x), [1e-9, 1.0 - 1e-9], [0.0, 1.0, 1]),
        (lambda x: arguments.fraction("x", x, "0"), [0, 0.0], [1.0, -1e-9]),
        (lambda x: arguments.fraction("x", x, "1"), [1, 1.0], [0.0, 1.0 + 1e-9]),
        (lambda x: arguments.not_negative("x", x), [0.0], [-5e-324]),
        (lambda x: arguments.positive("x", x), [5e-324], [0.0]),
        (lambda x: arguments.scale("x", x), [1e-150, 1e150], [0.9e-150, 1.1e150]),
        (lambda x: arguments.points("x", x, 2), [[[0.0, 1.0]]], [[[0.0, 1.0, 2.0]], [[0.0, np.inf]]]),
    ],
)
def test_the_ends_of_a_range(check, inside, outside):
    assert all(accepts(check, value) for value in inside)
    assert not any(accepts(check, value) for value in outside)
