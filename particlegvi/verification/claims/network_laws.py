"""Exact laws of networks whose last layer alone moves: linear regressions."""

from __future__ import annotations

import math

import numpy as np

import particlegvi as pg
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Checks, claim

NOISE = 0.3  # standard deviation of an observation


class NetworkRegression:
    """A linear network on random features of one input, or on random inputs, and the posterior of its parameters.

    Attributes
    ----------
    loss : NetworkLoss
    weight : float
        The kl_weight of the posterior.
    curvature : array (dim, dim)
        The potential is loss - weight log prior, for the standard normal prior.
    mode : array (dim,)
    """

    def __init__(self, seed: int, rows: int, features: int, truth: np.ndarray | None = None) -> None:
        """With a ``truth`` the inputs are independent, so that no direction of the parameters is slow."""
        random = np.random.default_rng([seed, rows])
        x = random.uniform(-2.0, 2.0, rows)
        X = np.tanh(np.outer(x, random.standard_normal(features)) + random.standard_normal(features))
        if truth is not None:
            X = random.standard_normal((rows, features))
        A = np.column_stack([X, np.ones(rows)])
        weights = random.standard_normal(features + 1) if truth is None else truth
        self.y = A @ weights + NOISE * random.standard_normal(rows)
        self.loss = pg.networks.NetworkLoss(pg.networks.Network(features, None), X, self.y)
        self.weight = self.loss.kl_weight(noise_variance=NOISE**2)
        self.curvature = 2.0 * A.T @ A / rows + self.weight * np.eye(features + 1)
        self.mode = np.linalg.solve(self.curvature, 2.0 * A.T @ self.y / rows)

    @property
    def steepest(self) -> float:
        """The largest eigenvalue of the curvature."""
        return float(np.linalg.eigvalsh(self.curvature)[-1])


@claim("thesis 5.4.2; docs/networks.md", wrong="kl_weight as if the loss were a sum")
def last_layer_regression(
    seed: int, wrong: bool, *, particles: int = 20_000, steps: int = 60, rows: int = 30, features: int = 5
) -> Checks:
    """DLE on the last layer draws from Bayesian linear regression.

    DLE on the last layer after k steps is N(m_k, S_k) by the recursion of Euler's steps on a quadratic.

    In the limit its mean is that of Bayesian linear regression. Measured are the mean and the covariance, whitened, in
    standard errors. Wrong: kl_weight is 2 noise_variance, as if the loss were a sum over the rows.
    """
    problem = NetworkRegression(seed, rows, features)
    step = 1.0 / problem.steepest
    weight = problem.weight * (rows if wrong else 1.0)
    run = pg.simulate(
        problem.loss, pg.methods.DLE(weight), prior=pg.priors.Normal(np.zeros(features + 1), 1.0), seed=seed,
        particles=particles, steps=steps, step_size=step, record_every=0,
    )  # fmt: skip
    mean, covariance = -problem.mode, np.eye(features + 1)
    factor = np.eye(features + 1) - step * problem.curvature
    for _ in range(steps):
        mean = factor @ mean
        covariance = factor @ covariance @ factor.T + 2.0 * step * problem.weight * np.eye(len(mean))
    root = np.linalg.inv(np.linalg.cholesky(covariance))
    z = (run.final - problem.mode - mean) @ root.T
    root_n = math.sqrt(particles)
    spread = (z.T @ z / particles - np.eye(z.shape[1])) * root_n
    spread[np.diag_indices(z.shape[1])] /= math.sqrt(2.0)
    means = np.abs(z.mean(axis=0)) * root_n
    return (
        Check("largest error of a mean, in standard errors", float(means.max()), 5.0),
        Check("largest error of a covariance, in standard errors", float(np.abs(spread).max()), 5.0),
    )


@claim("docs/networks.md", wrong="stopped after 40 epochs")
def linear_network(seed: int, wrong: bool, *, rows: int = 60, inputs: int = 4, steps: int = 4000) -> Checks:
    """DE of a network without hidden layer ends at ordinary least squares.

    DE of networks without a hidden layer ends at ordinary least squares, wherever it starts.
    """
    random = np.random.default_rng(seed)
    X, y = random.standard_normal((rows, inputs)), random.standard_normal(rows)
    net = pg.networks.Network(inputs, None)
    A = np.column_stack([X, np.ones(rows)])
    exact = np.linalg.lstsq(A, y, rcond=None)[0]
    run = pg.simulate(
        pg.networks.NetworkLoss(net, X, y), pg.methods.DE(), prior=net.prior("unit"), particles=5, seed=seed,
        steps=40 if wrong else steps, step_size=0.5 / np.linalg.eigvalsh(2.0 * A.T @ A / rows)[-1],
    )  # fmt: skip
    distance = np.abs(run.positions - exact).max(axis=(1, 2))
    return Check("largest distance of a weight to least squares", float(distance[-1]), 1e-8)


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
        truth = np.random.default_rng(own).standard_normal(features + 1)
        problem = NetworkRegression(own % 2**32, rows, features, truth)
        exact = np.linalg.cholesky(problem.weight * np.linalg.inv(problem.curvature))
        draws = np.random.default_rng(own + 1).standard_normal((particles, features + 1))
        run = pg.simulate(
            problem.loss, pg.methods.DLE(problem.weight * (0.5 if wrong else 1.0)),
            prior=pg.priors.Normal(np.zeros(features + 1), 1.0), initial=problem.mode + draws @ exact.T,
            seed=own, steps=250, step_size=0.1 / problem.steepest, record_every=0,
        )  # fmt: skip
        scaled = np.linalg.solve(exact, (run.final - problem.mode).T)
        low, high = np.quantile(scaled, [0.05, 0.95], axis=1)
        place = np.linalg.solve(exact, truth - problem.mode)
        inside.append((low <= place) & (place <= high))
    share = float(np.mean(inside))
    bound = chance.ERRORS * math.sqrt(0.09 / np.size(inside)) + 0.01
    return Check("distance of the coverage to 90%", abs(share - 0.9), bound)
