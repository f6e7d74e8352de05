"""The checks of values that all parts share: numbers, whole numbers, flags, arrays, points and vectors.

A check returns the value in its plain form, or raises a ``ValueError`` of one sentence: ``KEY must be WHAT IS ALLOWED,
not VALUE``. The checks of objects (a loss, a prior, a method) are in `particlegvi.tools.objects`.
"""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from particlegvi.contracts import Array
from particlegvi.tools.calls import (
    explains_bad_calls as explains_bad_calls,  # definition files import this module alone
)
from particlegvi.tools.calls import shares_parameters as shares_parameters
from particlegvi.tools.limits import LARGEST, LARGEST_SCALE, LARGEST_SCORED, SMALLEST_SCALE, SMALLEST_SCORED
from particlegvi.tools.limits import MOST_COORDINATES as MOST_COORDINATES
from particlegvi.tools.limits import MOST_PARTICLES as MOST_PARTICLES
from particlegvi.tools.limits import MOST_SEED as MOST_SEED
from particlegvi.tools.limits import MOST_WHOLE as MOST_WHOLE
from particlegvi.tools.quoting import POSITIVE, refuse

FRACTIONS = {"": "a number between 0 and 1", "0": "a number from 0 and below 1", "1": "a number above 0 and at most 1"}
SCALE = "a positive finite number from 1e-150 to 1e+150"
RULES = ("median", "authors")  # rules that choose a lengthscale when a run starts


def whole(key: str, value: Any, least: int = 0, most: int = MOST_WHOLE) -> int:
    """A whole number from ``least`` to ``most``; a float without a fraction, such as 1e5, is one."""
    number = _finite(value)
    if number is None or number != math.floor(number) or not least <= number <= most:
        bounded = most < MOST_WHOLE or (number is not None and number > most)
        raise refuse(key, value, f"a whole number {f'from {least} to {most}' if bounded else f'of {least} or more'}")
    return int(number)


def wholes(key: str, value: object, most: int, allowed: str = "a list of at least one whole number") -> list[int]:
    """A list of at least one whole number, each from 1 to ``most``."""
    if not isinstance(value, list | tuple) or not value:
        raise refuse(key, value, allowed)
    return [whole(f"{key}[{index}]", entry, 1, most) for index, entry in enumerate(value)]


def record_number(value: object, count: int) -> int:
    """The number of one of ``count`` records, from 0 on; a negative one counts from the end."""
    return whole("record", value, -count, count - 1) % count


def seed(value: Any) -> int:
    """A seed, from 0 to 2^64 - 1. Floats are refused, since they cannot hold every such number."""
    number = None if isinstance(value, float | np.floating) else _finite(value)
    if number is None or not 0 <= number <= MOST_SEED:
        raise refuse("seed", value, "a whole number from 0 to 2^64 - 1")
    return int(number)


def real(key: str, value: Any, allowed: str = "a finite number") -> float:
    """A finite number as a float."""
    number = _finite(value)
    if number is None:
        raise refuse(key, value, allowed)
    return float(number)


def positive(key: str, value: Any) -> float:
    """A positive finite number."""
    number = real(key, value, POSITIVE)
    if not number > 0.0:
        raise refuse(key, value, POSITIVE)
    return number


def fraction(key: str, value: Any, end: str = "") -> float:
    """A number between 0 and 1, or at one ``end`` of them, "0" or "1"."""
    number = real(key, value, FRACTIONS[end])
    if not (0.0 < number < 1.0 or (end and number == float(end))):
        raise refuse(key, value, FRACTIONS[end])
    return number


def not_negative(key: str, value: Any) -> float:
    """A finite number of 0 or more."""
    allowed = "a finite number of 0 or more"
    number = real(key, value, allowed)
    if number < 0.0:
        raise refuse(key, value, allowed)
    return number


def scale(key: str, value: Any, allowed: str = SCALE) -> float:
    """A length or a variance: a positive number whose square and inverse square are finite."""
    number = real(key, value, allowed)
    if not SMALLEST_SCALE <= number <= LARGEST_SCALE:
        raise refuse(key, value, allowed)
    return number


def lengthscale(value: Any) -> float:
    """The lengthscale of a kernel: a scale, or the name of a rule, which becomes one before anything is compiled."""
    if isinstance(value, str) and value in RULES:
        return cast(float, value)
    return scale("lengthscale", value, SCALE + ', or a rule, "median" or "authors"')


def scales(key: str, value: Any) -> Array:
    """One scale as an array (), or one for each input coordinate as an array (dim,), which cannot be changed."""
    allowed = "a positive finite number, or one for each input"
    numbers = array(key, value, allowed)
    good = (numbers >= SMALLEST_SCALE) & (numbers <= LARGEST_SCALE)
    if numbers.ndim > 1 or not numbers.size or not np.all(good):
        raise refuse(key, value, allowed)
    return frozen(numbers.copy())


def flag(key: str, value: Any) -> bool:
    """True or False. Numbers and texts are refused."""
    if not isinstance(value, bool | np.bool_):
        raise refuse(key, value, "True or False")
    return bool(value)


def array(key: str, value: Any, allowed: str, booleans: bool = False) -> Array:
    """Real numbers, finite or not, as a C-contiguous float64 array of the shape given.

    Texts and masked entries are refused, and booleans unless ``booleans``.
    """
    try:
        numbers = np.asarray(value)
        if numbers.dtype.kind == "O" and all(type(number) in (int, float) for number in numbers.flat):
            numbers = numbers.astype(np.float64)  # whole numbers beyond 64 bits
        good = numbers.dtype.kind in ("iufb" if booleans else "iuf") and not np.ma.is_masked(value)
    except Exception:  # ragged or endless lists, and objects whose conversion fails in their own way
        good = False
    if not good:
        raise refuse(key, value, allowed)
    with np.errstate(over="ignore"):  # for values beyond double precision
        return np.ascontiguousarray(numbers, dtype=np.float64).reshape(numbers.shape)


def copied(data: Any) -> Any:
    """The data, as a copy where they are an array, which its owner may change later."""
    return data.copy() if isinstance(data, np.ndarray) else data


def shaped(key: str, numbers: Any, allowed: str) -> ValueError:
    """The error for an array of a wrong shape."""
    return ValueError(f"{key} must be {allowed}, not an array of the shape {np.shape(numbers)}")


def finite(key: str, numbers: Array, allowed: str) -> Array:
    """The array, if it has neither NaN nor infinity."""
    if not np.all(np.isfinite(numbers)):
        raise ValueError(f"{key} must be {allowed}, not one with NaN or infinity")
    return numbers


def points(
    key: str, value: Any, dim: int | None = None, only_finite: bool = True, *, least: int = 0, other: str = ""
) -> Array:
    """At least ``least`` points as an array (n, dim), of any dimension if ``dim`` is None; (n,) is read as (n, 1)."""
    allowed = f"{other}an array (n, {'dim' if dim is None else dim}) of {'finite ' * only_finite}numbers"
    allowed += f" with at least {'one row' if least == 1 else f'{least} rows'}" if least else ""
    x = array(key, value, allowed)
    if x.ndim == 1 and dim in (None, 1):
        x = x[:, None]
    if x.ndim != 2 or x.shape[1] == 0 or dim not in (None, x.shape[1]) or len(x) < least:
        raise shaped(key, value, allowed)
    return finite(key, x, allowed) if only_finite else x


def one_or_many(key: str, value: Any, dim: int, more: str = "") -> tuple[Array, tuple[int, ...]]:
    """Points as an array (n, dim), finite or not, and the shape of values at them: () for one point (dim,).

    On the line an array (n,) is n points and a number is one. ``more`` ends the sentence on what is allowed.
    """
    allowed = f"an array (n, {dim}){' or (n,)' * (dim == 1)} of numbers{more}"
    x = array(key, value, allowed)
    if dim == 1 and x.ndim < 2:
        return x.reshape(-1, 1), x.shape
    if x.shape == (dim,):
        return x.reshape(1, dim), ()
    if x.ndim != 2 or x.shape[1] != dim:
        raise shaped(key, x, allowed)
    return x, (len(x),)


def locations(value: Any, dim: int) -> Array:
    """Points ``x`` where a function is evaluated, (n, dim), finite or not; on the line a number alone is (1, 1)."""
    x = array("x", value, f"an array (n, {dim}) of numbers")
    return points("x", x.reshape(-1) if dim == 1 and x.ndim < 2 else x, dim, only_finite=False)


def matrix(key: str, value: Any, columns: int, rows: int | None = None) -> Array:
    """An array (n, columns) of numbers, finite or not, with the given number of rows if there is one."""
    allowed = f"an array ({'n' if rows is None else rows}, {columns}) of numbers"
    numbers = array(key, value, allowed)
    if numbers.ndim != 2 or numbers.shape[1] != columns or rows not in (None, len(numbers)):
        raise shaped(key, numbers, allowed)
    return numbers


def vector(key: str, value: Any, length: int | None = None) -> Array:
    """Finite numbers, one for each observation: an array of this length, or of any from 1 on; booleans are 0 and 1."""
    allowed = "an array (n,) of finite numbers with n of at least 1"
    if length is not None:
        allowed = f"an array ({length},) of finite numbers, one for each row of X"
    numbers = array(key, value, allowed, booleans=True)
    if numbers.ndim != 1 or (not numbers.size if length is None else len(numbers) != length):
        raise shaped(key, numbers, allowed)
    return finite(key, numbers, allowed)


def coordinates(key: str, value: Any) -> Array:
    """One finite number, or a list of them, as an array (1,) or (dim,)."""
    allowed = "a finite number or a list of finite numbers"
    numbers = array(key, value, allowed)
    if numbers.ndim > 1 or numbers.size == 0 or not np.all(np.isfinite(numbers)):
        raise refuse(key, value, allowed)
    return np.atleast_1d(numbers)


def as_written(numbers: Array) -> Any:
    """An array (n,) as a user would have written it: a number where n is 1, a list otherwise."""
    return float(numbers[0]) if numbers.size == 1 else numbers.tolist()


def same_length(keys: tuple[str, str], first: Array, second: Array) -> tuple[Array, Array]:
    """Both as arrays (dim,) that cannot be changed; one number stands for every coordinate."""
    dim = max(first.size, second.size)
    if first.size not in (1, dim) or second.size not in (1, dim):
        raise ValueError(
            f"{keys[0]} and {keys[1]} must have the same number of entries, or one of them a single one, "
            f"not {first.size} and {second.size}"
        )
    return frozen(np.full(dim, first)), frozen(np.full(dim, second))


def paired(key: str, value: Any, y: Array) -> Array:
    """A finite number for each of the observations y, (n,); one number alone stands for all. Both at most 1e75."""
    allowed = f"a finite number, or an array ({len(y)},) of them as y is"
    numbers = array(key, value, allowed)
    numbers = np.full(y.shape, float(numbers)) if numbers.ndim == 0 else numbers
    if numbers.shape != y.shape:
        raise shaped(key, numbers, allowed)
    finite(key, numbers, allowed)
    return scored(key, numbers, y)


def scored(key: str, numbers: Array, y: Array) -> Array:
    """The array, if its numbers and those of y are at most 1e75."""
    worst = max(np.max(np.abs(numbers)), np.max(np.abs(y)))
    if worst > LARGEST_SCORED:
        raise ValueError(f"{key} and y must be numbers of at most {LARGEST_SCORED:g} in size, not {worst:g}")
    return numbers


def deviations(key: str, value: Any, y: Array) -> Array:
    """A standard deviation, from 1e-75 to 1e75, for each of the observations y, or one for all."""
    numbers = paired(key, value, y)
    if not (numbers >= SMALLEST_SCORED).all():
        raise ValueError(f"{key} must be positive numbers from {SMALLEST_SCORED:g}, not {numbers.min():g}")
    return numbers


def labels(value: Any) -> Array:
    """Labels ``y`` that are 0 or 1, (n,)."""
    numbers = vector("y", value)
    wrong = numbers[~np.isin(numbers, (0.0, 1.0))]
    if wrong.size:
        raise ValueError(f"y must be labels 0 and 1, not {wrong[0]:g}")
    return numbers


def probabilities(key: str, value: Any, y: Array) -> Array:
    """A probability for each of the observations y, or one for all."""
    numbers = paired(key, value, y)
    wrong = numbers[(numbers < 0.0) | (numbers > 1.0)]
    if wrong.size:
        raise ValueError(f"{key} must be probabilities from 0 to 1, not {wrong[0]:g}")
    return numbers


def frozen(numbers: Array) -> Array:
    """The array, made read-only."""
    numbers.setflags(write=False)
    return numbers


def _finite(value: Any) -> Any:
    """The number, or None where it is not a finite real number."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return None
    if isinstance(value, np.timedelta64):  # an integer to numpy, a length of time to all others
        return None
    number = float(value) if isinstance(value, np.floating) else value
    return number if -LARGEST <= number <= LARGEST else None
