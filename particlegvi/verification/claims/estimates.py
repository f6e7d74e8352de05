"""Class probabilities by quadrature, and scores by the spectral Stein estimator."""

from __future__ import annotations

import numpy as np

from particlegvi.functionspace.prediction.class_probabilities import class_probabilities as by_quadrature
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Checks, claim

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(50)


@claim("thesis (B.52), which has phi", wrong="the density phi, as (B.52) is printed")
def class_probabilities(seed: int, wrong: bool, *, draws: int = 1_000_000) -> Checks:
    """The probabilities that each class is the largest are (B.52) with Phi, and sum to 1.

    P(F_j is the largest) for 3, 4 and 6 independent Gaussians with variances from 0.001 to 1: by
    `class_probabilities` against a million draws, and their sum.
    """
    r = np.random.default_rng(seed)
    away, sums = 0.0, 0.0
    for classes in (3, 4, 6):
        means, variances = r.normal(0.0, 0.5, classes), 10.0 ** r.uniform(-3.0, 0.0, classes)
        shares = printed(means, variances) if wrong else by_quadrature(means, variances)
        drawn = means + np.sqrt(variances) * r.standard_normal((draws, classes))
        counts = np.bincount(drawn.argmax(axis=1), minlength=classes) / draws
        # the larger of two variances, because the count of a class that nearly never wins may be 0
        spread = np.maximum(counts * (1.0 - counts), shares * (1.0 - shares))
        error = np.sqrt(np.maximum(spread, 1.0 / draws) / draws)
        away = max(away, float(np.max(np.abs(shares - counts) / error)))
        sums = max(sums, abs(float(shares.sum()) - 1.0))
    return (
        Check("distance to a million draws, in standard errors", away, chance.ERRORS),
        Check("distance of the sum to 1", sums, 1e-12),
    )


def printed(means: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """(B.52) with Gauss-Hermite nodes and the density of the standard normal."""
    shares = []
    for j in range(len(means)):
        t = means[j] + np.sqrt(variances[j]) * NODES
        others = [l for l in range(len(means)) if l != j]
        z = (t[:, None] - means[others]) / np.sqrt(variances[others])
        densities = np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi)
        shares.append(WEIGHTS @ np.prod(densities, axis=1) / WEIGHTS.sum())
    return np.array(shares)
