"""A linear model with a known posterior, by objectives that compare functions at inputs (Burt et al., 2020).

Splits are 90/10, as in most published tables. Inputs and targets have mean 0 and standard deviation 1 on the
training rows. The features are those of a sparse Gaussian process.
Kernel, noise and inducing points maximise the evidence lower bound of a sparse process, from two starts.
With L L^T = k(Z, Z) the features are phi(x) = L^-1 k(Z, x), so that w . phi with w ~ N(0, I) is the process of these
regressors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
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
from particlegvi.scenario.tables.settings import Part, Problem, TableSettings, Task, scaled
from particlegvi.scenario.tables.table import Table

TITLES = {
    "boston": "Boston", "concrete": "Concrete", "energy": "Energy", "kin8nm": "Kin8nm", "naval": "Naval",
    "power": "Power", "wine": "Wine (red)", "yacht": "Yacht",
}  # fmt: skip
MODELS = (
    "exact", "factorised", "fixed-80", "random-20", "random-40", "random-80", "random-160", "random-80-adam",
    "spectral-80", "random-80-factorised", "random-80-adam-factorised", "spectral-80-factorised", "linear",
)  # fmt: skip
# Figures 3 and 4: the inputs in A and the rows of a step of Adam are of the same number.
BY_BATCHES = tuple(f"{term}-{size}-batch{family}" for term in ("random", "spectral") for size in (20, 40, 80, 160)
                   for family in ("", "-factorised"))  # fmt: skip
TERMS = {"fixed": "fixed-points", "random": "random-points", "spectral": "spectral"}
PROTOCOL = "standard"
START, NOISE = 1.0, 1e-4  # lengthscales and noise variance at the start of the source's search
ITERATIONS = 200
START_SEED = 1000  # distance between the seeds of sets for neighbouring seeds


@dataclass(frozen=True)
class LinearSettings(TableSettings):
    """The settings of the table, checked.

    Attributes
    ----------
    rows : tuple of str
        Data sets.
    models : tuple of str
        "exact" is the posterior, "factorised" the best independent weights. "fixed-80" replaces KL by KL of the
        functions at 80 fixed inputs; "random-20" to "random-160" by its mean over random inputs, at the optimum;
        "random-80-adam" uses Adam, as in the source, and "spectral-80" estimated entropies. A name that ends with
        "factorised" has independent weights. "linear" is least squares on the inputs. "random-20-batch" and the like
        (20, 40, 80 or 160), which no default table has, use Adam with as many random rows in a step as inputs.
    splits, first_split : int
        Number of splits, and the number of the first.
    inducing_points : int
        Number of features.
    sets : int
        Number of random sets of inputs for the optimum.
    iterations : int
        Largest number of iterations of the search for the optimum. With far fewer inputs than features the objective
        has converged by then, while KL to the posterior still grows.
    steps : int
        Number of steps of Adam.
    seed : int
    """

    rows: tuple[str, ...] = tuple(TITLES)
    models: tuple[str, ...] = MODELS
    protocols: tuple[str, ...] = (PROTOCOL,)
    splits: int = 5
    first_split: int = 0
    inducing_points: int = 100
    sets: int = 120
    iterations: int = 100
    steps: int = 3000
    seed: int = 0

    ranges = {
        "splits": (1, 1000), "first_split": (0, 1000), "inducing_points": (1, 2000), "sets": (1, 100_000),
        "iterations": (1, 100_000), "steps": (1, 10**8), "seed": (0, 2**31),
    }  # fmt: skip
    models_by_protocol = {PROTOCOL: (*MODELS, *BY_BATCHES)}

    def __post_init__(self) -> None:
        self.check({"rows": TITLES, "models": (*MODELS, *BY_BATCHES), "protocols": (PROTOCOL,)})


@dataclass(frozen=True)
class Features:
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


def features(problem: Problem, number: int) -> Features:
    """The features of a problem, computed once for all of its models."""
    return problem.once("features", lambda: _features(problem.train, number))


def _features(train: Part, number: int) -> Features:
    start = SquaredExponential(np.full(train.X.shape[1], START), 1.0)
    covariance, noise, facts = fit_hyperparameters(
        start, train.X, train.y, NOISE, bound="elbo", inducing_points=number, most_iterations=ITERATIONS
    )
    points = np.array(facts["points"])
    return Features(covariance, points, factor(covariance(points)), noise)


def score(task: Task, settings: LinearSettings, problem: Problem) -> dict[str, float]:
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
    found = features(problem, settings.inducing_points)
    how: Facts = {"sets": settings.sets, "seed": START_SEED * settings.seed + task.split, **_objective(task.model)}
    how["steps"] = settings.steps if how["optimiser"] == "adam" else settings.iterations
    model = BayesianLinearRegression(found, found.noise_variance, **how).fit(train.X, train.y)
    scores = _predicted(problem, model.predict(new, return_std=True), found.noise_variance)
    divergence = model.kl_to_posterior()
    scores |= {"kl": divergence} if math.isfinite(divergence) else {"infinite": 1.0}
    if "kl_to_posterior_averaged" in model.facts:
        scores["kl_averaged"] = float(model.facts["kl_to_posterior_averaged"])
    return scores


def _objective(model: str) -> Facts:
    """The settings of `BayesianLinearRegression` for the name of a model."""
    name, *how = model.split("-")
    by_adam = name == "spectral" or "adam" in how or "batch" in how
    found: Facts = {"kl": TERMS.get(name, "exact"), "optimiser": "adam" if by_adam else "optimum"}
    found["family"] = "factorised" if "factorised" in model else "full"
    if name in TERMS:
        found["points"] = int(how[0])
    if "batch" in how:
        found["batch_size"] = int(how[0])
    return found


def _predicted(problem: Problem, of_functions: tuple[Array, Array], noise_variance: float) -> dict[str, float]:
    mean, sd = of_functions
    return {
        "nll": metrics.gaussian_nll(problem.test.y, mean, np.sqrt(sd**2 + noise_variance)),
        "rmse": metrics.root_mean_squared_error(problem.test.y, mean),
    }


class LinearTable(Table):
    """The finished cells of a table of the linear model, with KL to the posterior."""

    problem = staticmethod(problem)
    score = staticmethod(score)
    titles = {
        "nll": "Negative log-likelihood of the test rows",
        "kl": "KL to the posterior in nats",
        "kl_averaged": "KL to the posterior of the average of Adam's last tenth, in nats",
        "rmse": "Root mean squared error",
    }
    labels = {
        "exact": "Exact", "factorised": "FFG", "fixed-80": "FixedA 80", "random-20": "RandA 20",
        "random-40": "RandA 40", "random-80": "RandA 80", "random-160": "RandA 160",
        "random-80-adam": "RandA 80, Adam", "spectral-80": "SSGE 80", "linear": "least squares",
        "random-80-factorised": "RandA 80, factorised", "random-80-adam-factorised": "RandA 80, Adam, factorised",
        "spectral-80-factorised": "SSGE 80, factorised",
    }  # fmt: skip
    compared = "exact"
    pictured = ("nll", "kl")
    note = (
        "Means over the splits, and standard deviations over them. Scores are of scaled targets. KL to the posterior is"
        " that of the weights; that of fixed inputs is infinite at the optimum with fewer inputs than features."
    )

    def title(self, row: str) -> str:
        return TITLES[row]

    def columns_of(self, protocol: str, metric: str) -> Sequence[str]:
        """The models that have the score on any row."""
        shown = lambda model: any(self.text(row, model, protocol, metric) != "-" for row in self.settings.rows)
        return [model for model in self.settings.models_of(protocol) if shown(model)]

    def block(self, protocol: str, metric: str) -> Iterator[str]:
        """The text of a score; empty if no model has the score."""
        return super().block(protocol, metric) if self.columns_of(protocol, metric) else iter(())

    def text(self, row: str, model: str, protocol: str, metric: str) -> str:
        """An entry as text; KL may be infinite."""
        if metric == "kl" and self.values(row, model, protocol, "infinite"):
            return "infinite"
        return super().text(row, model, protocol, metric)

    def conclusions(self, protocol: str) -> Iterator[str]:
        """The differences of predictions to those of the posterior."""
        others = [model for model in self.settings.models_of(protocol) if model != "exact"]
        words = "Difference of the negative log-likelihood to that of the posterior, and its standard error"
        return self.differences(protocol, "nll", words, [(model, "exact", self.called(model)) for model in others])
