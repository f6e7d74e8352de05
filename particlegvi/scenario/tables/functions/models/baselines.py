"""The models of Table 6.2, PLS, SVGP (with k and with r) and the linear one, and the mean of the training rows.

PLS and SVGP share the covariance and the noise, as in the thesis (D.14.1).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array
from particlegvi.functionspace import (
    LinearRegression,
    LogisticRegression,
    ProjectedLangevinSampler,
    SparseGaussianProcess,
    fit_hyperparameters,
    likelihoods,
    selection,
)
from particlegvi.functionspace.covariances import SquaredExponential
from particlegvi.functionspace.covariances.covariance import Covariance, Iterated
from particlegvi.functionspace.gp.hyperparameters import classification_covariance, regression_covariance
from particlegvi.functionspace.prediction.posterior import Marginals
from particlegvi.functionspace.preprocessing import column_sd
from particlegvi.scenario.tables.functions.protocols import PROTOCOLS, most_points
from particlegvi.scenario.tables.problem import Classes, Numbers, Problem
from particlegvi.scenario.tables.settings import TableSettings
from particlegvi.tools.registry import named

SUBSETS = 2  # of rows, on which the thesis's protocol fits hyperparameters; the thesis has 10, or 5 for classes
TOLERANCE = 1e-4  # the fit may stop so many nats below the best evidence bound


class Hyperparameters(NamedTuple):
    covariance: Covariance
    noise_variance: float  # used in regression only


def hyperparameters(problem: Problem, settings: TableSettings) -> Hyperparameters:
    """The hyperparameters of highest marginal likelihood on training rows, computed once for each problem.

    The covariance is a squared exponential with a lengthscale for each input; in classification under the standardised
    protocol it has one lengthscale for all inputs.
    """
    find = _as_standardised if PROTOCOLS[problem.protocol].scale_inputs else _as_in_the_thesis
    return problem.once("hyperparameters", lambda: find(problem, settings))


def _as_standardised(problem: Problem, settings: TableSettings) -> Hyperparameters:
    X, y = problem.train
    if problem.task == "classification":
        return Hyperparameters(classification_covariance(X, y, seed=settings.seed), 1.0)
    return Hyperparameters(*regression_covariance(X, y, seed=settings.seed))


def _as_in_the_thesis(problem: Problem, settings: TableSettings) -> Hyperparameters:
    """Fit regressions, also to labels, on all rows or on subsets of neighbouring rows, and average the parameters.

    The search begins in the units of the inputs. The thesis's program begins at log 2 in any units. Its optimiser,
    with steps of constant size, may leave this start; L-BFGS stays there on several sets, as the objective is flat.
    """
    X, y = problem.train
    classes = problem.task == "classification"
    fitted = fit_hyperparameters(
        SquaredExponential(lengthscale=math.sqrt(X.shape[1]) * column_sd(X), variance=1.0),
        X,
        2.0 * y - 1.0 if classes else y,
        noise_variance=0.1,
        threshold=1000 if classes else 2000,
        subsets=SUBSETS,
        seed=settings.seed,
    )
    return Hyperparameters(*fitted[:2])


@named("pls")
def pls(problem: Problem, settings: TableSettings) -> Numbers | Classes:
    """The sampler with its default steps; its prior is the Gaussian process, or the thesis's N(0, Lambda).

    A classification uses accepted and refused steps: for nearly separable classes, plain steps without bias would be
    thousands.
    """
    k, noise = hyperparameters(problem, settings)
    classes = problem.task == "classification"
    sampler = ProjectedLangevinSampler(
        kernel=k,
        likelihood=likelihoods.Bernoulli() if classes else likelihoods.Gaussian(noise_variance=noise),
        inducing_points=most_points(problem, settings.inducing_points),
        particles=settings.particles,
        prior=PROTOCOLS[problem.protocol].prior,
        seed=settings.seed,
    ).fit(*problem.train)
    if classes:
        return Classes(sampler.predict_probability(problem.test.X))
    test, validation = (
        sampler.predict(part.X, return_std=True, of="target") for part in (problem.test, problem.validation)
    )
    return Numbers(*test, *validation)


@named("svgp")
def svgp(problem: Problem, settings: TableSettings) -> Numbers | Classes:
    """Inducing values at greedily chosen inputs; their distribution in closed form, or by natural gradients."""
    return _sparse(problem, settings, most_points(problem, settings.inducing_points), False)


@named("svgp-r")
def svgp_r(problem: Problem, settings: TableSettings) -> Numbers | Classes:
    """SVGP with the iterated kernel r of the points in the place of k: the prior N(0, Lambda), and no residual."""
    return _sparse(problem, settings, most_points(problem, settings.inducing_points), True)


def _sparse(problem: Problem, settings: TableSettings, number: int, iterated: bool) -> Numbers | Classes:
    k, noise = hyperparameters(problem, settings)
    points: Array | int = number
    if iterated:
        points = selection.select("greedy", k, problem.train.X, number, settings.seed).points
        k = Iterated(k, points)
    if problem.task == "classification":
        bernoulli = likelihoods.Bernoulli()
        model = SparseGaussianProcess(k, bernoulli, points, tolerance=TOLERANCE, seed=settings.seed)
        mean, sd = model.fit(*problem.train).predict(problem.test.X, return_std=True)
        return Classes(Marginals(mean[None], sd**2).expectation(bernoulli.probability))
    gaussian = likelihoods.Gaussian(noise_variance=noise)
    model = SparseGaussianProcess(k, gaussian, points, seed=settings.seed).fit(*problem.train)
    (mean, sd), (v_mean, v_sd) = (model.predict(part.X, return_std=True) for part in (problem.test, problem.validation))
    return Numbers(mean, np.sqrt(sd**2 + noise), v_mean, np.sqrt(v_sd**2 + noise))


@named("linear")
def linear(problem: Problem, settings: TableSettings) -> Numbers | Classes:
    """Ordinary least squares with Gaussian errors; in classification logistic regression with a small penalty."""
    X, y = problem.train
    if problem.task == "classification":
        return Classes(LogisticRegression(penalty=1.0).fit(X, y).predict(problem.test.X))
    model = LinearRegression().fit(X, y)
    (mean, error), (v_mean, v_error) = (model.predict(p.X, return_std=True) for p in (problem.test, problem.validation))
    noise = math.sqrt(model.noise_variance)
    return Numbers(mean, np.hypot(error, noise), v_mean, np.hypot(v_error, noise))


@named("constant")
def constant(problem: Problem, settings: TableSettings) -> Numbers | Classes:
    """The mean and the standard deviation of the training targets; in classification the share of label 1."""
    y, test, validation = problem.train.y, np.ones(len(problem.test.y)), np.ones(len(problem.validation.y))
    if problem.task == "classification":
        return Classes(y.mean() * test)
    mean, sd = y.mean(), y.std(ddof=1)
    return Numbers(mean * test, sd * test, mean * validation, sd * validation)
