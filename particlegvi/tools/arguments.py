"""What every part asks of the arguments that a user gives it, and how a bad one is answered: in one short sentence.

``shown`` quotes any object whatsoever on one line; the checks return a value in its plain form or raise a
``ValueError`` that names the argument, the value and what is allowed.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from particlegvi.tools import quoting

MOST_WHOLE = 2**53  # up to here every whole number is a float, so that times are exact
MOST_SEED = 2**64 - 1
MOST_PARTICLES = 2**32  # what the counter of the random numbers holds
MOST_COORDINATES = 2**24
LARGEST = sys.float_info.max


def shown(value: Any) -> str:
    """A value as an error message quotes it: on one line, never long, a short text as Python writes it."""
    return repr(value) if isinstance(value, str) and len(value) <= 40 else quoting.shown(value)


def refuse(key: str, value: Any, allowed: str) -> ValueError:
    """The error, ready to raise."""
    return ValueError(f"{key} is {shown(value)}; {allowed} is allowed")


def whole(key: str, value: Any, least: int = 0, most: int = MOST_WHOLE) -> int:
    """A whole number in a range; a float without a fraction, such as 1e5, is one."""
    number = _finite(value)
    if number is None or number != math.floor(number) or not least <= number <= most:
        too_large = number is not None and number > most
        raise refuse(key, value, f"a whole number {f'from {least} to {most}' if too_large else f'of {least} or more'}")
    return int(number)


def seed(value: Any) -> int:
    """A seed, for which a float is no whole number: not every seed is one."""
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
    """A finite number above 0."""
    number = real(key, value, "a finite number above 0")
    if not number > 0.0:
        raise refuse(key, value, "a finite number above 0")
    return number


def not_negative(key: str, value: Any) -> float:
    """A finite number of 0 or more."""
    allowed = "a finite number of 0 or more"
    number = real(key, value, allowed)
    if number < 0.0:
        raise refuse(key, value, allowed)
    return number


def scale(key: str, value: Any) -> float:
    """A length: a number whose square, and the inverse of that, are finite as well."""
    number = real(key, value, "a number from 1e-150 to 1e+150")
    if not 1e-150 <= number <= 1e150:
        raise refuse(key, value, "a number from 1e-150 to 1e+150")
    return number


def flag(key: str, value: Any) -> bool:
    """True or False, and no number or text that would count as one of them."""
    if not isinstance(value, bool | np.bool_):
        raise refuse(key, value, "True or False")
    return bool(value)


def array(key: str, value: Any, allowed: str, booleans: bool = False) -> NDArray[np.float64]:
    """An array of real numbers, finite or not, in the shape given: no texts or masked entries, nor, but where they are
    labels, ``booleans``.
    """
    try:
        given = np.asarray(value)
        if given.dtype.kind == "O" and all(type(number) in (int, float) for number in given.flat):
            given = given.astype(np.float64)  # whole numbers beyond 64 bits
        good = given.dtype.kind in ("iufb" if booleans else "iuf") and not np.ma.is_masked(value)
    except Exception:  # ragged or endless lists, and objects whose conversion fails in their own way
        good = False
    if not good:
        raise refuse(key, value, allowed)
    with np.errstate(over="ignore"):  # of more than double precision
        return np.ascontiguousarray(given, dtype=np.float64).reshape(given.shape)


def points(key: str, value: Any, dim: int, finite: bool = True) -> NDArray[np.float64]:
    """Points (n, dim), where on the line (n,) is read as (n, 1)."""
    allowed = f"{'a finite' if finite else 'an'} array (n, {dim})"
    given = array(key, value, allowed)
    if given.ndim == 1 and dim == 1:
        given = given[:, None]
    if given.ndim != 2 or given.shape[1] != dim:
        raise ValueError(f"{key} has the shape {np.shape(value)}; (n, {dim}) is allowed")
    if finite and not np.all(np.isfinite(given)):
        raise ValueError(f"{key} has a number that is not finite; finite ones are allowed")
    return given


def part(key: str, thing: Any, attributes: tuple[str, ...], allowed: str) -> Any:
    """An object (not a class) with these attributes: a loss, a method, a prior, a target."""
    if isinstance(thing, type) or not all(hasattr(thing, name) for name in attributes):
        raise refuse(key, thing, allowed)
    return thing


def function(key: str, thing: Any) -> Any:
    """Something to call, of which one can only see when it is called whether it returns what it should."""
    if not callable(thing) or isinstance(thing, type):
        raise refuse(key, thing, "a function")
    return thing


def returned(key: str, value: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """What a function from outside gave: finite numbers of this shape."""
    allowed = f"finite numbers of the shape {shape}"
    found = array(f"what {key} gives", value, allowed)
    if found.shape != shape:
        raise ValueError(f"{key} gives the shape {found.shape}; {shape} is allowed")
    if not np.all(np.isfinite(found)):
        raise ValueError(f"{key} gives a number that is not finite; {allowed} are allowed")
    return found


def loss(thing: Any) -> Any:
    """Whatever has a value, a gradient and a dimension."""
    allowed = "a Loss, for example particlegvi.losses.get('double-well'),"
    return part("loss", thing, ("value", "gradient", "dim", "term"), allowed)


def prior(thing: Any, key: str = "prior") -> Any:
    """A law on R^dim."""
    attributes = ("log_density", "gradient", "sample", "term", "dim", "low", "high")
    return part(key, thing, attributes, "a prior such as particlegvi.priors.Normal(mean=0.0, sd=1.0)")


def method(thing: Any) -> Any:
    """What flows."""
    return part("method", thing, ("flow", "label"), "an object such as particlegvi.methods.DLE(kl_weight=1.0)")


def weighted(thing: Any) -> Any:
    """A method whose objective has a weight of KL."""
    allowed = "a method with a kl_weight, such as particlegvi.methods.DLE(kl_weight=1.0),"
    return part("method", thing, ("flow", "label", "kl_weight"), allowed)


def target(thing: Any, density: bool = False, dim: int | None = None) -> Any:
    """A target, as `particlegvi.target` gives it; with ``density`` only one that has one."""
    allowed = "a target, as particlegvi.target gives it,"
    kind = part("target", thing, ("kind", "dim"), allowed).kind
    if kind not in ("density", "atoms", "gaussians"):
        raise refuse("target", thing, allowed)
    if density and kind != "density":
        raise ValueError(f"target is of the kind {kind!r}; one with a density is allowed")
    if dim not in (None, thing.dim):
        raise ValueError(f"target has {thing.dim} dimensions; {dim} is allowed")
    return thing


def kernel(thing: Any) -> Any:
    """A kernel that can be evaluated: its lengthscale is a number and no rule."""
    allowed = "a kernel such as particlegvi.kernels.SquaredExponential(lengthscale=1.0)"
    if isinstance(part("kernel", thing, ("value", "slope", "lengthscale"), allowed).lengthscale, str):
        raise ValueError(f'kernel has the rule "{thing.lengthscale}" for its lengthscale; a number is allowed')
    return thing


def kernel_or_none(thing: Any) -> Any:
    """A kernel of the repulsion, or None."""
    allowed = "a kernel of particlegvi.kernels, or None,"
    return None if thing is None else part("kernel", thing, ("value", "slope", "lengthscale"), allowed)


def progress(thing: Any) -> Any:
    """A callable, or None."""
    if thing is not None and not callable(thing):
        raise refuse("progress", thing, "a function or None")
    return thing


def same_dim(key: str, dim: int, of_loss: int) -> None:
    """The dimensions of two parts must agree."""
    if dim != of_loss:
        has = f"{key} has {dim} dimension{'s' * (dim != 1)} but the loss has {of_loss}"
        raise ValueError(f"{has}; equal dimensions are allowed")


def _finite(value: Any) -> Any:
    """The number, or None where it is no finite real number."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return None
    if isinstance(value, np.timedelta64):  # an integer to numpy, a length of time to everybody else
        return None
    number = float(value) if isinstance(value, np.floating) else value
    return number if -LARGEST <= number <= LARGEST else None
