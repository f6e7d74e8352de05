"""Exact laws of networks whose last layer alone moves: linear regressions."""

from __future__ import annotations

import math

import numpy as np

import particlegvi as pg
from particlegvi.settings import colours
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Checks, Claim
from particlegvi.verification.picture import Picture

NOISE = 0.3  # standard deviation of an observation


class Regression:
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


class LastLayerRegression(Claim):
    """DLE on the last layer after k steps is N(m_k, S_k) by the recursion of Euler's steps on a quadratic.

    In the limit its mean is that of Bayesian linear regression. Measured are the mean and the covariance, whitened, in
    standard errors. Wrong: kl_weight is 2 noise_variance, as if the loss were a sum over the rows.
    """

    claim = "DLE on the last layer draws from Bayesian linear regression"
    source = "thesis 5.4.2; docs/networks.md"
    wrong = "kl_weight as if the loss were a sum"
    particles, steps, rows, features = 20_000, 60, 30, 5

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        problem = Regression(seed, self.rows, self.features)
        step = 1.0 / problem.steepest
        weight = problem.weight * (self.rows if wrong else 1.0)
        run = pg.simulate(
            problem.loss, pg.methods.DLE(weight), prior=pg.priors.Normal(np.zeros(self.features + 1), 1.0), seed=seed,
            particles=self.particles, steps=self.steps, step_size=step, record_every=0,
        )  # fmt: skip
        mean, covariance = -problem.mode, np.eye(self.features + 1)
        factor = np.eye(self.features + 1) - step * problem.curvature
        for _ in range(self.steps):
            mean = factor @ mean
            covariance = factor @ covariance @ factor.T + 2.0 * step * problem.weight * np.eye(len(mean))
        root = np.linalg.inv(np.linalg.cholesky(covariance))
        z = (run.final - problem.mode - mean) @ root.T
        root_n = math.sqrt(self.particles)
        spread = (z.T @ z / self.particles - np.eye(z.shape[1])) * root_n
        spread[np.diag_indices(z.shape[1])] /= math.sqrt(2.0)
        means = np.abs(z.mean(axis=0)) * root_n
        picture.histogram(np.clip(z[:, 0], -4.0, 4.0), (-4.0, 4.0), label="weights").normal("posterior")
        picture.frame("a weight, in posterior standard deviations")
        return (
            Check("largest error of a mean, in standard errors", float(means.max()), 5.0),
            Check("largest error of a covariance, in standard errors", float(np.abs(spread).max()), 5.0),
        )


class LinearNetwork(Claim):
    """DE of networks without a hidden layer ends at ordinary least squares, wherever it starts."""

    claim = "DE of a network without hidden layer ends at ordinary least squares"
    source = "docs/networks.md"
    wrong = "stopped after 40 epochs"
    rows, inputs, steps = 60, 4, 4000

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        random = np.random.default_rng(seed)
        X, y = random.standard_normal((self.rows, self.inputs)), random.standard_normal(self.rows)
        net = pg.networks.Network(self.inputs, None)
        A = np.column_stack([X, np.ones(self.rows)])
        exact = np.linalg.lstsq(A, y, rcond=None)[0]
        run = pg.simulate(
            pg.networks.NetworkLoss(net, X, y), pg.methods.DE(), prior=net.prior("unit"), particles=5, seed=seed,
            steps=40 if wrong else self.steps, step_size=0.5 / np.linalg.eigvalsh(2.0 * A.T @ A / self.rows)[-1],
        )  # fmt: skip
        distance = np.abs(run.positions - exact).max(axis=(1, 2))
        picture.curve(run.steps, np.maximum(distance, 1e-17)).frame("step", "distance to least squares", log="y")
        return Check("largest distance of a weight to least squares", float(distance[-1]), 1e-8)


class NoiseOfWeights(Claim):
    """Weights from the prior, data from the weights: 90% intervals of DLE's draws hold nine in ten of the weights.

    That is simulation-based calibration (Talts et al. 2018) of the last layer, with steps so small that the bias of the
    variance is below 5%. Wrong: kl_weight is noise_variance / n, half of what belongs to a mean of squares.
    """

    claim = "With kl_weight 2 noise_variance / n the ensemble is calibrated"
    source = "docs/networks.md, what the weights mean"
    wrong = "kl_weight of noise_variance / n"
    runs, particles, rows, features = 40, 150, 50, 7

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        inside = []
        for each in chance.seeds(seed, self.runs):
            truth = np.random.default_rng(each).standard_normal(self.features + 1)
            problem = Regression(each % 2**32, self.rows, self.features, truth)
            exact = np.linalg.cholesky(problem.weight * np.linalg.inv(problem.curvature))
            draws = np.random.default_rng(each + 1).standard_normal((self.particles, self.features + 1))
            run = pg.simulate(
                problem.loss, pg.methods.DLE(problem.weight * (0.5 if wrong else 1.0)),
                prior=pg.priors.Normal(np.zeros(self.features + 1), 1.0), initial=problem.mode + draws @ exact.T,
                seed=each, steps=250, step_size=0.1 / problem.steepest, record_every=0,
            )  # fmt: skip
            scaled = np.linalg.solve(exact, (run.final - problem.mode).T)
            low, high = np.quantile(scaled, [0.05, 0.95], axis=1)
            place = np.linalg.solve(exact, truth - problem.mode)
            inside.append((low <= place) & (place <= high))
        share = float(np.mean(inside))
        picture.histogram(np.mean(inside, axis=1), (-0.0625, 1.0625), 9, "runs", shares=True)
        picture.add(lambda axes: axes.axvline(0.9, color=colours.BLACK, linestyle="--", label="90%"))
        picture.add(lambda axes: axes.axvline(share, color=colours.VERMILLION, label="mean"))
        picture.frame("share of the weights inside", "share of the runs", "upper left")
        bound = chance.ERRORS * math.sqrt(0.09 / np.size(inside)) + 0.01
        return Check("distance of the coverage to 90%", abs(share - 0.9), bound)
