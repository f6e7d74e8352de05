"""The weight of KL for networks, on one whose last layer alone moves: a linear regression."""

from __future__ import annotations

import math

import numpy as np

import particlegvi as pg
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Checks, claim

NOISE = 0.3  # standard deviation of an observation


@claim("docs/networks.md, what the weights mean", wrong="kl_weight of noise_variance / n")
def noise_of_weights(
    seed: int, wrong: bool, *, runs: int = 40, particles: int = 150, rows: int = 50, features: int = 7
) -> Checks:
    """With kl_weight 2 noise_variance / n the ensemble is calibrated.

    Weights from the prior, data from the weights: 90% intervals of DLE's draws hold nine in ten of the weights.

    That is simulation-based calibration (Talts et al. 2018) of the last layer, with steps so small that the bias of the
    variance is below 5%. Wrong: kl_weight is noise_variance / n, half of what belongs to a mean of squares.
    """
    inside = []
    for own in chance.seeds(seed, runs):
        random = np.random.default_rng(own)
        truth, X = random.standard_normal(features + 1), random.standard_normal((rows, features))
        A = np.column_stack([X, np.ones(rows)])
        y = A @ truth + NOISE * random.standard_normal(rows)
        loss = pg.networks.NetworkLoss(pg.networks.Network(features, None), X, y)
        weight = loss.kl_weight(noise_variance=NOISE**2)
        curvature = 2.0 * A.T @ A / rows + weight * np.eye(features + 1)  # of loss - weight log prior
        mode = np.linalg.solve(curvature, 2.0 * A.T @ y / rows)
        exact = np.linalg.cholesky(weight * np.linalg.inv(curvature))
        draws = random.standard_normal((particles, features + 1))
        run = pg.simulate(
            loss, pg.methods.DLE(weight * (0.5 if wrong else 1.0)),
            prior=pg.priors.Normal(np.zeros(features + 1), 1.0), initial=mode + draws @ exact.T,
            seed=own, steps=250, step_size=0.1 / np.linalg.eigvalsh(curvature)[-1], record_every=0,
        )  # fmt: skip
        scaled = np.linalg.solve(exact, (run.final - mode).T)
        low, high = np.quantile(scaled, [0.05, 0.95], axis=1)
        place = np.linalg.solve(exact, truth - mode)
        inside.append((low <= place) & (place <= high))
    share = float(np.mean(inside))
    bound = chance.ERRORS * math.sqrt(0.09 / np.size(inside)) + 0.01
    return Check("distance of the coverage to 90%", abs(share - 0.9), bound)
