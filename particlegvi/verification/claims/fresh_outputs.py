"""Repulsion between outputs at inputs that every step draws anew, towards a prior over functions."""

from __future__ import annotations

import numpy as np
from scipy.signal import fftconvolve

import particlegvi as pg
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Checks, claim

KL, MMD, COUNT, HIGH = 0.5, 2.0, 2, 2.0
SDS = 1.5, 0.5  # of the process's slope and intercept
X, Y = np.array([[-1.0], [1.0]]), np.array([0.5, 1.5])
AXIS = np.linspace(-4.5, 4.5, 91)
SLOPE, INTERCEPT = np.meshgrid(AXIS, AXIS, indexing="ij")


def lines(inputs: np.ndarray) -> np.ndarray:
    """The covariance (n, n) of straight lines with independent slope and intercept."""
    return np.asarray(SDS[1] ** 2 + SDS[0] ** 2 * inputs @ inputs.T)


@claim(
    "docs/open-questions.md; Burt et al. (2020) ask for a finite objective",
    wrong="the centre of the inputs at every step",
)
def fresh_outputs(seed: int, wrong: bool, *, particles: int = 500, steps: int = 300, step_size: float = 0.02) -> Checks:
    """At fresh inputs DRLE's law is that of the kernel averaged over inputs.

    DRLE of straight lines w x + b at two fresh inputs, uniform on (-2, 2), towards a process of lines.

    The mean of k over inputs is a kernel of the differences of slopes and intercepts, by Gauss-Legendre sums, so that
    Q* is a fixed point on a grid of (w, b): nothing of the engine is in it. The MMD is that to a process of other
    variances than the prior of the KL, so that a repulsion which forgets the process fails as well.
    """
    network = pg.networks.Network(1, None)
    kernel = pg.kernels.OnOutputs(
        pg.kernels.SquaredExponential(1.0), np.zeros((COUNT, 1)) if wrong else "fresh", COUNT, -HIGH, HIGH, lines
    )
    run = pg.simulate(
        pg.networks.NetworkLoss(network, X, Y), pg.methods.DRLE(KL, MMD, kernel), prior=network.prior("unit"),
        particles=particles, steps=steps, step_size=step_size, seed=seed, record_every=0,
    )  # fmt: skip
    law, bound = minimiser(), chance.kolmogorov_smirnov(particles, looks=2)
    marginals = [np.cumsum(law.sum(axis=other)) for other in (1, 0)]
    edges = AXIS + 0.5 * (AXIS[1] - AXIS[0])
    checks = []
    for name, x, cdf in zip(("slopes", "intercepts"), run.final.T, marginals, strict=True):
        at_draws = np.interp(np.sort(x), edges, cdf)
        far = chance.ks_to_cdf(at_draws, lambda shares: shares)
        checks.append(Check(f"KS distance of the {name} to Q*", far, bound))
    return tuple(checks)


def minimiser() -> np.ndarray:
    """Probabilities of the cells of the grid under Q*, by damped iterations."""
    places, weights = np.polynomial.legendre.leggauss(24)
    gaps = np.linspace(-9.0, 9.0, 2 * len(AXIS) - 1)
    apart, off = np.meshgrid(gaps, gaps, indexing="ij")
    pairs = [0.5 * w * np.exp(-0.5 * (HIGH * x * apart + off) ** 2) for x, w in zip(places, weights, strict=True)]
    kappa = sum(pairs) ** COUNT
    process = np.exp(-0.5 * ((SLOPE / SDS[0]) ** 2 + (INTERCEPT / SDS[1]) ** 2))
    process /= process.sum()
    squares = [(SLOPE * x + INTERCEPT - y) ** 2 for x, y in zip(X[:, 0], Y, strict=True)]
    prior = np.exp(-0.5 * (SLOPE**2 + INTERCEPT**2))
    q = prior / prior.sum()
    for _ in range(150):
        exponent = -(sum(squares) / len(Y) + 2.0 * MMD * fftconvolve(q - process, kappa, "same")) / KL
        new = prior * np.exp(exponent - exponent.max())
        q = 0.8 * q + 0.2 * new / new.sum()
    return np.asarray(q)
