"""KL between functions at finite sets of inputs, and what an objective with it in the place of KL finds."""

from __future__ import annotations

import numpy as np

from particlegvi import schedules
from particlegvi.functionspace import BayesianLinearRegression
from particlegvi.functionspace.linear.sets import data_and_box, kl_at_set
from particlegvi.verification.claim import Check, Checks, claim
from particlegvi.verification.optimum import normal_kl

CENTRES = np.linspace(-2.0, 2.0, 20)[:, None]


def features(X: np.ndarray) -> np.ndarray:
    """20 radial basis functions, (n, 20) for inputs (n, 1)."""
    return np.exp(-0.5 * ((X - CENTRES.T) / 0.2) ** 2)


def data(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """40 inputs in two groups, and targets with noise of sd 0.1 (Burt et al., 2020, F.1)."""
    r = np.random.default_rng(seed)
    X = np.r_[r.normal(-1.2, 0.3, 20), r.normal(1.2, 0.3, 20)][:, None]
    return X, features(X) @ r.normal(size=20) + 0.1 * r.normal(size=40)


@claim(
    "Burt et al. (2020), Propositions 2 and 3; Sun, Zhang, Shi and Grosse (2019)",
    wrong="a nugget of 0.01 on both covariances",
)
def kl_supremum(seed: int, wrong: bool) -> Checks:
    """KL at a set of inputs grows with the set, up to KL of the weights at full rank.

    The posterior of 20 weights: KL(Q_A, P_A) for 20 random inputs, one after the other, and then the 20 centres. It
    never falls, and ends at KL of the weights, which it must reach at rank 20.

    Wrong: a nugget of 0.01 on both covariances, with which it stays a quarter below.
    """
    model = BayesianLinearRegression(features, kl="exact").fit(*data(seed))
    A = np.vstack([np.random.default_rng(seed).uniform(-2.0, 2.0, (20, 1)), CENTRES])
    kl = _with_nugget if wrong else BayesianLinearRegression.kl_to_prior
    values = np.array([kl(model, A[:number]) for number in range(1, len(A) + 1)])
    whole = model.kl_to_prior()
    return (
        Check("largest fall when an input is added, nats", float(np.max(-np.diff(values))), 1e-9),
        Check("distance of the last from KL of the weights, relative", abs(values[-1] / whole - 1.0), 1e-8),
    )


@claim(
    "Burt et al. (2020), appendix E; covariance derived in docs/linear-benchmark.md", wrong="40 inputs for 20 weights"
)
def fixed_points_collapse(seed: int, wrong: bool, *, steps: int = 8_000) -> Checks:
    """With fewer inputs than weights, KL at fixed inputs has a minimiser without variance.

    20 weights, KL at 10 fixed inputs, by Adam: the smallest eigenvalue of the covariance after 8,000 steps, over
    that of the posterior; and what moving from the closed form of rank 10 would gain.

    Wrong: 40 inputs, which determine the weights: the solution is the posterior.
    """
    X, y = data(seed)
    A = data_and_box(np.random.default_rng(seed), X, 40 if wrong else 10)
    posterior = BayesianLinearRegression(features, kl="exact").fit(X, y)
    smallest = float(np.linalg.eigvalsh(posterior.covariance)[0])
    falling = schedules.Linear(initial=0.02, final=1e-3, over=steps)
    adam = BayesianLinearRegression(
        features, kl="fixed-points", points=A, optimiser="adam", steps=steps, step_size=falling
    ).fit(X, y)
    share = float(np.linalg.eigvalsh(adam.covariance)[0]) / smallest
    closed = BayesianLinearRegression(features, kl="fixed-points", points=A).fit(X, y)
    random, gains = np.random.default_rng(seed), []
    for size in (1e-1, 1e-3):
        half = random.normal(size=(20, 20)) * 0.1
        moved = (1.0 - size) * closed.covariance + size * half @ half.T
        gains.append(closed.objective - _objective(closed.mean, moved, (X, y), features(A)))
    return (
        Check("smallest variance of a direction over the posterior's", share, 0.1),
        Check("largest gain from the closed form, nats", max(gains), 1e-9),
    )


def _with_nugget(model: BayesianLinearRegression, points: np.ndarray) -> float:
    """KL of the values at points (n, 1) where 0.01 is added to the diagonal of both covariances."""
    phi, nugget = features(points), 0.01 * np.eye(len(points))
    return normal_kl(phi @ model.mean, phi @ model.covariance @ phi.T + nugget, phi @ phi.T + nugget)


def _objective(
    mean: np.ndarray, covariance: np.ndarray, rows: tuple[np.ndarray, np.ndarray], *sets: np.ndarray
) -> float:
    """Mean KL(Q_A, P_A) over the sets minus E log p(y), with noise of variance 0.01."""
    X, y = rows
    F = features(X)
    squares = float(np.sum((y - F @ mean) ** 2) + np.sum((F @ covariance) * F))
    likelihood = -0.5 * squares / 0.01 - 0.5 * len(y) * float(np.log(2.0 * np.pi * 0.01))
    return float(np.mean([kl_at_set(mean, covariance, points) for points in sets])) - likelihood
