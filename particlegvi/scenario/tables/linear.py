"""A linear model with a known posterior, by objectives that compare functions at inputs (Burt et al., 2020).

Splits are 90/10, as in most published tables. Inputs and targets have mean 0 and standard deviation 1 on the
training rows. The features are those of a sparse Gaussian process.
Kernel, noise and inducing points maximise the evidence lower bound of a sparse process, from two starts.
With L L^T = k(Z, Z) the features are phi(x) = L^-1 k(Z, x), so that w . phi with w ~ N(0, I) is the process of these
regressors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from particlegvi import metrics
from particlegvi.contracts import Array, Facts
from particlegvi.datasets import load, standard_splits
from particlegvi.functionspace import BayesianLinearRegression, LinearRegression, fit_hyperparameters
from particlegvi.functionspace.covariances import SquaredExponential
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.linalg import factor
from particlegvi.scenario.tables.ensembles.protocols import STANDARD
from particlegvi.scenario.tables.problem import Part, Problem, scaled
from particlegvi.scenario.tables.settings import TableSettings, Task

TERMS = {"fixed": "fixed-points", "random": "random-points", "spectral": "spectral"}
START, NOISE = 1.0, 1e-4  # lengthscales and noise variance at the start of the source's search
ITERATIONS = 200
SETS = 120  # random sets of inputs for the optimum
# Largest number of iterations of the search for the optimum. With far fewer inputs than features the objective has
# converged by then, while KL to the posterior still grows.
OPTIMUM_ITERATIONS = 100
START_SEED = 1000  # distance between the seeds of sets for neighbouring seeds


@dataclass(frozen=True)
class SparseFeatures:
    """The functions L^-1 k(Z, .), and the noise variance that was fitted with them."""

    covariance: Covariance
    points: Array
    root: Array
    noise_variance: float

    def features(self, X: Array) -> Array:
        """The values at inputs (n, dim), (n, k)."""
        return np.asarray(linalg.solve_triangular(self.root, self.covariance(self.points, X), lower=True).T)


def problem(row: str, protocol: str, split: int) -> Problem:
    """A row of the table at a split."""
    data = load(STANDARD.get(row, row))
    *_, (train, test) = standard_splits(len(data.y), split + 1)
    X, y = scaled(data.X, train), scaled(data.y, train)
    fit, held = (Part(X[rows].copy(), y[rows].copy()) for rows in (train, test))
    return Problem(row=row, protocol=protocol, split=split, train=fit, test=held)


def features(problem: Problem, number: int) -> SparseFeatures:
    """The features of a problem, computed once for all of its models."""
    return problem.once("features", lambda: _features(problem.train, number))


def _features(train: Part, number: int) -> SparseFeatures:
    start = SquaredExponential(np.full(train.X.shape[1], START), 1.0)
    covariance, noise, facts = fit_hyperparameters(
        start, train.X, train.y, NOISE, bound="elbo", inducing_points=number, most_iterations=ITERATIONS
    )
    points = np.array(facts["points"])
    return SparseFeatures(covariance, points, factor(covariance(points)), noise)


def score(task: Task, settings: TableSettings, problem: Problem) -> dict[str, float]:
    """Fit and score.

    Returns
    -------
    dict
        ``nll`` and ``rmse`` of the test rows, for scaled targets; ``kl``, KL to the posterior of the weights in nats,
        or ``infinite`` = 1 if it is infinite; ``kl_averaged``, KL of Adam's average over its last tenth. Least squares
        on the inputs has no KL.
    """
    train, new = problem.train, problem.test.X
    if task.model == "linear":
        line = LinearRegression().fit(train.X, train.y)
        return _predicted(problem, line.predict(new, return_std=True), line.noise_variance)
    basis = features(problem, settings.inducing_points)
    options: Facts = {"sets": SETS, "seed": START_SEED * settings.seed + task.split, **_objective(task.model)}
    options["steps"] = settings.steps if options["optimiser"] == "adam" else OPTIMUM_ITERATIONS
    model = BayesianLinearRegression(basis, basis.noise_variance, **options).fit(train.X, train.y)
    scores = _predicted(problem, model.predict(new, return_std=True), basis.noise_variance)
    divergence = model.kl_to_posterior()
    scores |= {"kl": divergence} if math.isfinite(divergence) else {"infinite": 1.0}
    if "kl_to_posterior_averaged" in model.facts:
        scores["kl_averaged"] = float(model.facts["kl_to_posterior_averaged"])
    return scores


def _objective(model: str) -> Facts:
    """The settings of `BayesianLinearRegression` for the name of a model."""
    name, *words = model.split("-")
    by_adam = name == "spectral" or "adam" in words or "batch" in words
    options: Facts = {"kl": TERMS.get(name, "exact"), "optimiser": "adam" if by_adam else "optimum"}
    options["family"] = "factorised" if "factorised" in model else "full"
    if name in TERMS:
        options["points"] = int(words[0])
    if "batch" in words:
        options["batch_size"] = int(words[0])
    return options


def _predicted(problem: Problem, of_functions: tuple[Array, Array], noise_variance: float) -> dict[str, float]:
    mean, sd = of_functions
    return {
        "nll": metrics.gaussian_nll(problem.test.y, mean, np.sqrt(sd**2 + noise_variance)),
        "rmse": metrics.root_mean_squared_error(problem.test.y, mean),
    }
