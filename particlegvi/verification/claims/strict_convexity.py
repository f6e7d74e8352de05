"""(D2): the minimiser is unique by strict convexity, which holds for the squared MMD but not for the MMD."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

# Means and variances of Gaussians; P is N(0, 1) and the kernel has lengthscale 1.
PRIOR = (0.0, 1.0)
PAIRS = (((0.0, 1.0), (2.0, 0.25)), ((-1.0, 0.5), (1.5, 2.0)), ((0.0, 0.1), (0.0, 4.0)))
SHARES = np.linspace(0.0, 1.0, 41)


def similarity(a: tuple[float, float], b: tuple[float, float]) -> float:
    """E kappa(X, Y) for independent X ~ N(a), Y ~ N(b)."""
    variance = 1.0 + a[1] + b[1]
    return math.exp(-0.5 * (a[0] - b[0]) ** 2 / variance) / math.sqrt(variance)


def squared_mmd(share: float, first: tuple[float, float], second: tuple[float, float]) -> float:
    """MMD^2 of the mixture (1 - share) N(first) + share N(second) to P."""
    laws, weights = (first, second, PRIOR), np.array([1.0 - share, share, -1.0])
    return float(weights @ np.array([[similarity(a, b) for b in laws] for a in laws]) @ weights)


class StrictConvexity(Claim):
    """MMD^2 along mixtures of two measures lies below its chord; the smallest gap in the middle, relative to the chord.

    The gap of two measures is their MMD^2 over four times the chord, hence positive; 1e-3 is far above rounding errors.
    Wrong: the MMD without its square, as in (C.114): a norm, which is linear on the segment from P to any measure.
    """

    name = "strict-convexity"
    claim = "MMD^2 to the prior is strictly convex, as uniqueness needs (the unsquared MMD is not)"
    source = "thesis, C.1 (D2, C.6); not (C.114)"
    wrong = "the MMD without its square, as in (C.114)"
    same_scale = False

    def measure(self, seed: int, wrong: bool) -> Experiment:
        power = 0.5 if wrong else 1.0
        curves = [np.array([max(squared_mmd(s, *pair), 0.0) ** power for s in SHARES]) for pair in PAIRS]
        gaps = [1.0 - curve[len(curve) // 2] / (0.5 * (curve[0] + curve[-1])) for curve in curves]
        check = Check("smallest gap below the chord, relative", float(min(gaps)), 1e-3, ">=")
        return Experiment((check,), {"curves": curves})

    def draw(self, picture: Picture, data: Data) -> None:
        curve = data["curves"][0]
        picture.curve(SHARES, curve, "$D((1 - a) P + a Q, P)$").truth([0.0, 1.0], curve[[0, -1]], "chord")
        picture.frame("share $a$ of $Q = N(2, 1/4)$", "divergence from $P$", "upper left", xlim=(0.0, 1.0))
