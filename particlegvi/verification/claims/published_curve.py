"""(C.128): the curve for DRLE in Figure 5.2 has a wrong mass inside its convolution."""

from __future__ import annotations

import numpy as np

from particlegvi.verification import problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

METHOD = problems.DRLE
GRID = np.linspace(-3.0, 3.0, 601)
PUBLISHED = -10.0  # the start value u(-3) of the authors' code


def solve(start: float, rounds: int = 400, damping: float = 0.5) -> np.ndarray:
    """u = log q with u(-3) = ``start`` and u' = -V'/lambda2 - lambda1/lambda2 (grad_1 kappa * exp(u)) on the grid."""
    width = GRID[1] - GRID[0]
    weights = np.full(len(GRID), width)
    weights[[0, -1]] *= 0.5
    kappa = np.exp(-0.5 * (GRID[:, None] - GRID[None, :]) ** 2) * weights
    potential = problems.potential(GRID, METHOD)
    free = start - (potential - potential[0]) / METHOD.kl_weight
    u = free.copy()
    for _ in range(rounds):
        pull = kappa @ np.exp(np.minimum(u, 5.0))
        u = (1.0 - damping) * u + damping * (free - METHOD.lambda1 / METHOD.kl_weight * (pull - pull[0]))
    return u


def mass(u: np.ndarray) -> float:
    """Integral of exp(u) over the grid."""
    return float(np.trapezoid(np.exp(u), GRID))


class PublishedCurve(Claim):
    """(C.128) with an initial value chosen so that exp(u) integrates to 1 is Q*, and with another one it is not.

    The equation is solved on [-3, 3] by damped iteration, from log q*(-3) of the fixed point; 1e-3 is allowed for the
    mass of Q* outside. Wrong: the published initial value, u(-3) = -10, normalised afterwards. Its mass of 1.335 scales
    the repulsion inside the convolution but not mu_P, which a later normalisation cannot correct.
    """

    name = "published-curve"
    claim = "DRLE's Q* solves (C.128) with mass 1; the published curve, of mass 1.335, is not Q*"
    source = "thesis, (C.128)"
    wrong = "u(-3) = -10, normalised afterwards"

    def measure(self, seed: int, wrong: bool) -> Experiment:
        target = problems.target(METHOD)
        u = solve(PUBLISHED if wrong else float(target.log_pdf(-3.0)))
        total = mass(u)
        q = np.exp(u) / total
        gap = float(np.trapezoid(np.abs(q - target.pdf(GRID)), GRID))
        checks = (
            Check("mass of exp(u), from 1", abs(total - 1.0), 1e-3),
            Check("L1 distance of the normalised curve to Q*", gap, 1e-3),
        )
        return Experiment(checks, {"q": q, "mass": total, "mean": float(np.trapezoid(q * GRID, GRID))})

    def draw(self, picture: Picture, data: Data) -> None:
        window, target = (-3.0, 3.0), problems.target(METHOD)
        picture.curve(GRID, data["q"], f"exp(u) / mass:\nmass {data['mass']:.3f}\nmean {data['mean']:.4f}")
        picture.density(target, window, f"$Q^*$: mean {target.mean:.4f}").frame(legend="upper right", xlim=window)
