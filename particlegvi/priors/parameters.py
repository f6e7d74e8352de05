"""The base of priors with independent coordinates on the whole space, each with a centre and a scale."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from particlegvi.contracts import Array, Facts
from particlegvi.tools.arguments import as_written, coordinates, frozen, same_length
from particlegvi.tools.html import Card
from particlegvi.tools.limits import LARGEST_SCALE, SMALLEST_SCALE
from particlegvi.tools.quoting import refuse


class FromParameters(Card):
    """A prior that follows from its parameters, which are attributes of their names."""

    written: tuple[str, ...]  # names of the parameters

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{key}={value}' for key, value in self.parameters().items())})"

    def parameters(self) -> Facts:
        """The constructor's parameters as plain numbers and lists."""
        known = vars(self)
        return {key: as_written(known[key]) if np.ndim(known[key]) else known[key] for key in self.written}


def positive_scales(key: str, value: ArrayLike) -> Array:
    """Positive numbers (dim,) whose squares and inverses are finite, or a ValueError."""
    numbers = coordinates(key, value)
    if not np.all((numbers >= SMALLEST_SCALE) & (numbers <= LARGEST_SCALE)):
        raise refuse(key, value, f"a positive number from {SMALLEST_SCALE:g} to {LARGEST_SCALE:g}, or such numbers")
    return frozen(numbers.copy())


class CentreAndScale(FromParameters):
    """Coordinates from minus to plus infinity; the last two parameters are the centre and the scale."""

    dim: int
    low: Array  # (dim,)
    high: Array

    def place(self, centre: ArrayLike, scale: ArrayLike) -> None:
        """Check the centre and the scale, and set both as arrays (dim,), the dimension and the ends."""
        keys = self.written[-2], self.written[-1]
        both = same_length(keys, coordinates(keys[0], centre), positive_scales(keys[1], scale))
        vars(self).update(zip(keys, both, strict=True))
        self.dim = both[0].size
        self.low, self.high = frozen(np.full(self.dim, -np.inf)), frozen(np.full(self.dim, np.inf))
