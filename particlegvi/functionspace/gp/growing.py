"""Choose the number of inducing points: double it until the certified gap is small enough."""

from __future__ import annotations

from typing import NamedTuple

from particlegvi.contracts import Array, Facts
from particlegvi.functionspace import selection
from particlegvi.functionspace.basis import Nystroem
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.gp.certificate import Fitted, certify
from particlegvi.functionspace.gp.collapsed import collapsed
from particlegvi.functionspace.residuals.conditional import Residual

AUTO = "auto"
FIRST = 16  # number of inducing points at the start


class Problem(NamedTuple):
    """Gaussian process regression."""

    covariance: Covariance
    X: Array
    y: Array
    noise_variance: float


def grow(problem: Problem, gap: float, most: int | None, seed: int) -> tuple[Nystroem, Facts]:
    """The Nystroem basis of the fewest greedy inducing points (16, 32, ...) with a certified gap of at most ``gap``.

    The largest number is ``most``, or the number of rows. The facts are the facts of the selection, ``certified_gaps``
    (by number of inducing points) and ``stopped``: "certified_gap", "most_inducing_points", "all rows" (every row is an
    inducing point), or "no variance left" (the chosen points determine the function at all rows, to rounding).

    Source: Pescador-Barrios, Filippi and van der Wilk (2024), who add points until their bound stops changing.
    """
    covariance, X, y, noise = problem
    ceiling = len(X) if most is None else min(most, len(X))
    count, gaps = min(FIRST, ceiling), {}
    while True:
        chosen = selection.select("greedy", covariance, X, count, seed)
        basis = Nystroem(covariance, chosen.points)
        e = basis.features(X)
        law, _ = collapsed(e, Residual(basis).variance(X, e), y, noise)
        found = len(chosen.points)
        gaps[str(found)] = certify(Fitted(basis, law, X, y, noise)).kl
        if gaps[str(found)] <= gap:
            stopped = "certified_gap"
        elif found < count:
            stopped = "no variance left"
        elif count == ceiling:
            stopped = "all rows" if count == len(X) else "most_inducing_points"
        else:
            count = min(2 * count, ceiling)
            continue
        return basis, {**chosen.facts, "certified_gaps": gaps, "stopped": stopped}
