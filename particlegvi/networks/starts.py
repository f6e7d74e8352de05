"""Standard deviations of parameters by layer, for priors and for starts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array
from particlegvi.tools import arguments
from particlegvi.tools.registry import look_up

RULES = {  # the sd of a parameter of a layer with n inputs and m outputs
    "he": lambda n, m: math.sqrt(2.0 / n),
    "glorot": lambda n, m: math.sqrt(2.0 / (n + m)),
    "kaiming-fan-out": lambda n, m: math.sqrt(2.0 / m),
    "kaiming-fan-out-code": lambda n, m: math.sqrt(1.0 / m),
    "unit": lambda n, m: 1.0,
    "ntk": lambda n, m: 1.0,
}


def names() -> list[str]:
    """The names of all rules, in alphabetical order."""
    return sorted(RULES)


def deviations(
    widths: Sequence[int], rule: object = "he", weights: ArrayLike | None = None, biases: ArrayLike | None = None
) -> Array:
    """The standard deviation of each parameter, (dim,), of a network with these widths; see `Network.prior`."""
    fans = list(zip(widths[:-1], widths[1:], strict=True))
    dim = sum((n + 1) * m for n, m in fans)
    if isinstance(rule, str):
        chosen = look_up("start", rule, RULES)
        of_weights = np.array([chosen(n, m) for n, m in fans])
    else:
        of_weights = _numbers("sd", rule, (len(fans), dim))
        if of_weights.size == dim and dim != len(fans):
            return of_weights
    of_biases = of_weights
    if weights is not None:
        of_weights = _numbers("weights", weights, (len(fans),))
    if biases is not None:
        of_biases = _numbers("biases", biases, (len(fans),))
    pieces = [np.r_[np.full(n * m, w), np.full(m, b)] for (n, m), w, b in zip(fans, of_weights, of_biases, strict=True)]
    return np.concatenate(pieces)


def _numbers(key: str, given: object, lengths: tuple[int, ...]) -> Array:
    """Positive numbers, one for each layer or parameter; a single number holds for every layer."""
    allowed = f"a positive finite number, or {' or '.join(map(str, lengths))} of them"
    found = arguments.array(key, given, allowed)
    if found.ndim > 1 or found.size not in (1, *lengths) or not np.all((found > 0.0) & np.isfinite(found)):
        raise arguments.refuse(key, given, allowed)
    return np.full(lengths[0], found) if found.size == 1 else found
