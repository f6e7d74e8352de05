"""The minimiser of DRLE's free energy over masses at fixed nodes, by Newton's method on its convex dual.

Over masses a at nodes with volumes w, with strength r = lambda1/lambda2 and the kernel's matrix K, the free energy
(5.6) divided by lambda2 is

    F(a) = sum a (log(a/w) - psi) + r/2 a.K a,

strictly convex on the simplex. Writing the interaction as a maximum, r/2 a.K a = max_b r (a.K b - b.K b / 2), gives the
dual problem: minimise

    J(b) = r/2 b.K b + log sum w exp(psi - r K b),

whose gradient r K (b - a(b)) vanishes at the fixed point a = a(b) = w exp(psi - r K b) / sum(...), which is normalised.
J is convex, so that Newton's method with a line search converges from any start. The line search is the damping: its
steps become shorter as r grows. The gap F(a(b)) + J(b) = r/2 (a(b) - b).K (a(b) - b) bounds the error: F is
1-strongly convex in L1, so |a(b) - a*|_1 <= sqrt(2 (F + J)).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

Apply = Callable[[np.ndarray], np.ndarray]
MOST_STEPS = 200
MOST_CG = 600


class FixedPoint(NamedTuple):
    """Masses (n,) that sum to one, the logarithm of their normaliser, and sqrt(2 gap), which bounds their L1 error."""

    masses: np.ndarray
    log_normaliser: float
    bound: float
    steps: int


def image(psi: np.ndarray, log_volume: np.ndarray, repulsion: np.ndarray) -> tuple[np.ndarray, float]:
    """Masses proportional to ``w exp(psi - repulsion)``, and the logarithm of their sum before normalisation."""
    level = psi + log_volume - repulsion
    top = float(np.max(level))
    masses = np.exp(level - top)
    total = float(masses.sum())
    return masses / total, top + float(np.log(total))


@np.errstate(over="ignore", invalid="ignore")  # of a huge strength, which ends in the sentence
def solve(
    psi: np.ndarray, log_volume: np.ndarray, apply: Apply, strength: float, start: np.ndarray, tolerance: float = 1e-9
) -> FixedPoint:
    """The fixed point from a start of masses (n,), to an L1 error of ``tolerance`` at these nodes.

    A ValueError if the iteration stalls above 1e-5, which is seen after ten steps.
    """
    b, potential = start, apply(start)
    best, stalled = np.inf, 0
    for step in range(MOST_STEPS):
        masses, log_normaliser = image(psi, log_volume, strength * potential)
        gap = masses - b
        pull = apply(gap)
        bound = float(np.sqrt(max(strength * (gap @ pull), 0.0)))  # sqrt(2 r/2 |a - b|_K^2)
        best, stalled = (bound, 0) if bound < 0.9 * best else (best, stalled + 1)
        # Rounding ends the descent: ten steps without progress are enough.
        if bound <= tolerance or (stalled >= 10 and bound < 1e-5):
            return FixedPoint(masses, log_normaliser, bound, step)
        if stalled >= 10:
            break
        direction = _newton(masses, gap, pull, apply, strength)
        along = apply(direction)
        t = _line_search(psi, log_volume, potential, along, b, direction, strength=strength)
        b, potential = b + t * direction, potential + t * along
        if step % 8 == 7:
            potential = apply(b)
    raise ValueError(f"the target's fixed point did not converge: its L1 error is only known to be below {bound:.1e}")


def _newton(a: np.ndarray, gap: np.ndarray, pull: np.ndarray, apply: Apply, strength: float) -> np.ndarray:
    """The d with (I + r C K) d = a - b, C = diag(a) - a a^T, by conjugate gradients.

    With D = diag(sqrt a) and P the projection off sqrt a, C = D P D, and d = (a - b) + D P y turns the equation into
    the symmetric (I + r P D K D P) y = -r P D K (a - b), whose spectrum clusters at 1 because K's decays.
    """
    root = np.sqrt(a)

    def project(y: np.ndarray) -> np.ndarray:
        return y - root * (root @ y)

    residual = project(-strength * root * pull)
    y, search = np.zeros_like(a), residual
    size = residual @ residual
    target = size * 1e-10
    for _ in range(MOST_CG):
        if not size > target:  # also where a number has overflowed
            break
        product = search + strength * project(root * apply(root * search))
        rate = size / (search @ product)
        y = y + rate * search
        residual = residual - rate * product
        new = residual @ residual
        search, size = residual + (new / size) * search, new
    return gap + root * project(y)


def _line_search(
    psi: np.ndarray,
    log_volume: np.ndarray,
    potential: np.ndarray,
    along: np.ndarray,
    b: np.ndarray,
    direction: np.ndarray,
    *,
    strength: float,
) -> float:
    """Step length at which the derivative of the convex J along the direction is a tenth of that at 0, by bisection."""
    linear, quadratic = b @ along, direction @ along

    def derivative(t: float) -> float:
        masses, _ = image(psi, log_volume, strength * (potential + t * along))
        return linear + t * quadratic - masses @ along

    first = derivative(0.0)
    if first >= 0.0:  # rounding
        return 1.0
    low, high = 0.0, 1.0
    t = 1.0
    for _ in range(40):
        here = derivative(t)
        if abs(here) <= 0.1 * abs(first):
            break
        if here > 0.0:
            high = t
        elif t == 1.0:
            break  # J still decreases at the full step
        else:
            low = t
        t = 0.5 * (low + high)
    return t
