"""The models of the table: the two of the thesis, a network with one variance, Gaussian processes, and the line.

One network of two layers of ten units is trained for each problem, and gwi-net and net-constant share it. Under the
protocol "standardised" all models share the kernel and the noise of the highest marginal likelihood of at most 1000
rows. Under the others these come from the inducing points and their targets alone, as in B.7, and the number of points
is chosen by the likelihood of the validation rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from particlegvi import metrics
from particlegvi.contracts import Array
from particlegvi.functionspace import (
    ExactGaussianProcess,
    GaussianWasserstein,
    LinearRegression,
    SparseGaussianProcess,
    fit_hyperparameters,
    likelihoods,
    means,
)
from particlegvi.functionspace.covariances import SquaredExponential
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.gp.hyperparameters import regression_covariance
from particlegvi.functionspace.preprocessing import column_sd
from particlegvi.metrics import gaussian_nll
from particlegvi.scenario.tables.problem import Numbers, Problem
from particlegvi.scenario.tables.settings import TableSettings, Task
from particlegvi.scenario.tables.wasserstein.protocols import BEST, TRIALS, Trials, batch_size

HIDDEN, WIDE = (10, 10), (50, 50)  # units of the thesis's network, and of gwi-net-50
OF_NETWORKS, OF_FUNCTIONS = (0.5, 1.0, 1.5, 2.0), (1.0, 2.0, 3.0, 4.0, 5.0)  # numbers of points over sqrt(N), B.7
EPOCHS, FEW_EPOCHS, MANY_ROWS = 1000, 300, 3000  # of networks; fewer for this many rows, but as B.7 says
EXACT = 2000  # largest number of rows for an exact process
SEEDS = 1_000_000  # distance of the random streams of neighbouring seeds
ITERATIONS = 100  # largest number of iterations of the search for hyperparameters of inducing points
# The largest factor of the variances: no limit, 1 in the thesis's text, 2 in its program.
MOST = {"standardised": math.inf, "thesis": 1.0, "best-of-30": 2.0}
CENTRAL = 1.6448536269514722  # standard deviations that hold 90% of a Gaussian


class FittedKernel(NamedTuple):
    """A covariance, its noise variance, and the inducing points, or the number of greedy ones."""

    covariance: Covariance
    noise_variance: float
    points: Array | int


def predicted(model: str, problem: Problem, settings: TableSettings) -> Numbers | None:
    """The predictions of a model; None if the model does not allow so many rows."""
    problem = replace(problem, seed=problem.seed + SEEDS * settings.seed)
    if model == "linear":
        least_squares = LinearRegression().fit(*problem.train)
        return _noisy(problem, least_squares.predict, least_squares.noise_variance)
    if model == "net-constant":
        return _constant(problem)
    if model == "gp":
        if len(problem.train.y) > EXACT:
            return None
        covariance, noise = _likeliest(problem)
        return _noisy(problem, ExactGaussianProcess(covariance, noise).fit(*problem.train).predict, noise)
    counts: Sequence[float] = OF_NETWORKS if model == "gwi-net" else OF_FUNCTIONS

    def fit(kernel: FittedKernel) -> Numbers:
        if model == "svgp":
            return _sparse(problem, kernel)
        units = {"gwi-net": HIDDEN, "gwi-net-50": WIDE}.get(model)
        return _wasserstein(problem, kernel, means.Inducing() if units is None else _network(problem, units))

    if problem.protocol == BEST:  # one trial has one setting
        counts = (float(np.random.default_rng([problem.seed, 1]).choice(counts)),)
    elif problem.protocol == "standardised" and model != "gwi-svgp":
        most = min(settings.inducing_points, len(problem.train.y))
        return fit(FittedKernel(*_likeliest(problem), most))
    # the best likelihood of the validation rows, each fit with its own factor of the variances
    return min((fit(_kernel(problem, settings, count)) for count in counts), key=partial(validation_nll, problem))


def validation_nll(problem: Problem, predictions: Numbers) -> float:
    """The tempered negative log-likelihood of the validation rows, of scaled targets."""
    y, mean, sd = problem.validation.y, predictions.validation_mean, predictions.validation_sd
    factor = float(np.mean(((y - mean) / sd) ** 2))
    return gaussian_nll(y, mean, math.sqrt(factor) * sd)


def _kernel(problem: Problem, settings: TableSettings, count: float) -> FittedKernel:
    """The kernel with ``count`` times the root of N points: of all rows, or of the points and their targets alone."""
    rows = len(problem.train.y)
    points = min(max(3, round(count * math.sqrt(rows))), rows)
    if problem.protocol == "standardised":
        return FittedKernel(*_likeliest(problem), min(points, settings.inducing_points))
    X, y = problem.train
    chosen = np.random.default_rng([problem.seed, 2, points]).permutation(rows)[:points]
    Z, t = X[chosen], y[chosen]
    start = SquaredExponential(math.sqrt(X.shape[1]) * column_sd(X), 1.0)
    return FittedKernel(*fit_hyperparameters(start, Z, t, 0.1, most_iterations=ITERATIONS)[:2], Z)


def _likeliest(problem: Problem) -> tuple[Covariance, float]:
    return problem.once("likeliest", lambda: regression_covariance(*problem.train, seed=problem.seed))


def _network(problem: Problem, hidden: tuple[int, int]) -> means.Given:
    """The network of this problem with these units, trained once."""
    return problem.once(f"network {hidden}", lambda: _trained(problem, hidden))


def _trained(problem: Problem, hidden: tuple[int, int]) -> means.Given:
    X, y = problem.train
    scaled = problem.protocol != "thesis"  # there it sees inputs in their units
    epochs = FEW_EPOCHS if scaled and len(y) >= MANY_ROWS else EPOCHS
    network = means.MeanNetwork(hidden, epochs, batch_size=batch_size(problem), standardise=scaled)
    network.fit(X, y, (problem.validation.X, problem.validation.y), None, problem.seed)
    return means.Given(network.predict)


def _wasserstein(problem: Problem, kernel: FittedKernel, mean: means.Mean) -> Numbers:
    """The predictions of a fit; its covariance is that of (B.43) under "thesis", else that of the sparse process."""
    rule = "closed" if problem.protocol == "thesis" else "svgp"
    noise = likelihoods.Gaussian(noise_variance=kernel.noise_variance)
    model = GaussianWasserstein(kernel.covariance, noise, kernel.points, mean, covariance=rule, seed=problem.seed)
    model.fit(*problem.train)
    test, held = (model.predict(p.X, return_std=True, of="target") for p in (problem.test, problem.validation))
    return Numbers(*test, *held)


def _sparse(problem: Problem, kernel: FittedKernel) -> Numbers:
    noise = likelihoods.Gaussian(noise_variance=kernel.noise_variance)
    model = SparseGaussianProcess(kernel.covariance, noise, kernel.points, seed=problem.seed).fit(*problem.train)
    return _noisy(problem, model.predict, kernel.noise_variance)


def _noisy(problem: Problem, predict: Callable[..., tuple[Array, Array]], noise: float) -> Numbers:
    """Predictions of targets, from predictions of the function and the noise variance."""
    (mean, sd), (v_mean, v_sd) = (predict(p.X, return_std=True) for p in (problem.test, problem.validation))
    return Numbers(mean, np.sqrt(sd**2 + noise), v_mean, np.sqrt(v_sd**2 + noise))


def _constant(problem: Problem) -> Numbers:
    """The control: the same network with the mean squared error of the validation rows as its variance."""
    network = _network(problem, HIDDEN)
    mean, held = network.predict(problem.test.X), network.predict(problem.validation.X)
    sd = math.sqrt(float(np.mean((problem.validation.y - held) ** 2)))
    return Numbers(mean, np.full(len(mean), sd), held, np.full(len(held), sd))


def score(task: Task, settings: TableSettings, problem: Problem | Trials) -> dict[str, float]:
    """Fit and score.

    Returns
    -------
    dict
        ``nll``, with variances multiplied by the best factor on the validation rows that the protocol allows;
        ``nll_free``, with the best of all factors; ``nll_untempered``; ``rmse``; ``coverage_90`` of the central 90%
        interval; and ``variance_factor``, the best factor. Likelihoods and ``rmse`` are in the target's units.
        Under "best-of-30" ``nll`` is the lowest test score of the trials, ``nll_median`` the median, and
        ``nll_validation`` the score of the trial that the validation rows choose. A model that does not allow so many
        rows has no scores.
    """
    if isinstance(problem, Trials):
        return _selected(task.model, settings, problem)
    predictions = predicted(task.model, problem, settings)
    return {} if predictions is None else _scored(problem, predictions)


def _scored(problem: Problem, predictions: Numbers) -> dict[str, float]:
    y, unit = problem.test.y, math.log(problem.scale)
    factor = float(np.mean(((problem.validation.y - predictions.validation_mean) / predictions.validation_sd) ** 2))
    allowed = min(factor, MOST[problem.protocol])
    wide = CENTRAL * math.sqrt(allowed) * predictions.sd
    return {
        "nll": metrics.gaussian_nll(y, predictions.mean, math.sqrt(allowed) * predictions.sd) + unit,
        "nll_free": metrics.gaussian_nll(y, predictions.mean, math.sqrt(factor) * predictions.sd) + unit,
        "nll_untempered": metrics.gaussian_nll(y, predictions.mean, predictions.sd) + unit,
        "rmse": metrics.root_mean_squared_error(y, predictions.mean) * problem.scale,
        "coverage_90": metrics.coverage(y, predictions.mean - wide, predictions.mean + wide),
        "variance_factor": factor,
    }


def _selected(model: str, settings: TableSettings, fold: Trials) -> dict[str, float]:
    """The trials of a fold: the lowest test score, which the program reports, and two honest scores beside it."""
    tests, held, errors = [], [], []
    for number in range(TRIALS):
        problem = fold.problem(number)
        predictions = predicted(model, problem, settings)
        assert predictions is not None
        scores = _scored(problem, predictions)
        tests.append(scores["nll"])
        errors.append(scores["rmse"])
        held.append(validation_nll(problem, predictions) + math.log(problem.scale))
    lowest = int(np.argmin(tests))
    return {
        "nll": tests[lowest],
        "nll_validation": tests[int(np.argmin(held))],
        "nll_median": float(np.median(tests)),
        "rmse": errors[lowest],
    }
