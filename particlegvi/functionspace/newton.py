"""Newton's method with steps that are halved until the energy falls: the only one of these folders."""

from __future__ import annotations

from collections.abc import Callable

from particlegvi.contracts import Array

MOST_STEPS = 100
SHORTEST = 1e-6  # of a step, in units of the whole one
ROUNDING = 1e-14  # of an energy, relative: what it cannot tell is no reason to halve a step


def newton(
    energy: Callable[[Array], float], step: Callable[[Array], tuple[Array, float]], start: Array, settled: float
) -> tuple[Array, float]:
    """A local minimum of an energy near ``start`` (dim,), and its value.

    ``step`` returns the step at a point, which is subtracted, and its product with the gradient, about twice the gain.
    The search ends when this product is below ``settled``.
    """
    point = start
    here = energy(point)
    for _ in range(MOST_STEPS):
        direction, decrease = step(point)
        highest = here + ROUNDING * abs(here)
        length = 1.0
        while (
            not (reached := energy(point - length * direction)) <= highest - 1e-4 * length * decrease
            and length > SHORTEST
        ):
            length *= 0.5
        if reached <= highest:
            point, here = point - length * direction, reached
        if decrease < settled or length <= SHORTEST:
            break
    return point, here
