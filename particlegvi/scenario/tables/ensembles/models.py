"""The models of Table 5.1 and their scores: four ensembles of networks, least squares, and a Gaussian process."""

from __future__ import annotations

import math
import warnings
from typing import NamedTuple

import numpy as np

from particlegvi import kernels, methods
from particlegvi.contracts import Array, Method
from particlegvi.functionspace import ExactGaussianProcess, LinearRegression, SparseGaussianProcess, likelihoods
from particlegvi.functionspace.gp.hyperparameters import regression_covariance
from particlegvi.metrics import gaussian_nll
from particlegvi.metrics.mixtures import Mixture
from particlegvi.networks import Network, NetworkLoss
from particlegvi.networks.mixtures import noise_variance
from particlegvi.networks.training import at_lengths
from particlegvi.scenario.tables.ensembles.protocols import AS_PRINTED
from particlegvi.scenario.tables.problem import Problem
from particlegvi.scenario.tables.settings import TableSettings, Task
from particlegvi.simulation.loop import simulate
from particlegvi.simulation.problem import Settings, check_problem
from particlegvi.tools.errors import Diverged

UNITS, BATCH = 50, 100
# The thesis's program: steps of 0.005 (the 0.1 of its text runs away), 40 passes, its weights of C.7.4.
THESIS_STEP, PASSES, THESIS_KL, THESIS_MMD = 0.005, 40, 1e-4, 5e-3
PRINTED_STEP = 0.1
STEP, FALL = 0.015, 0.6  # under the protocol "standard": its size, constant for this part of the steps
TEMPERATURES = (1e-5, 1e-4)  # values of kl_weight; validation rows choose one
CONTEXT, BOX, OUTPUTS_MMD = 30, 2.5, 1e-2  # inputs of the repulsion between outputs, uniform in a box of scaled inputs
EXACT, INDUCING = 2000, 400  # most rows for an exact process; inducing points for more rows
LEAST = 1e-75  # smaller spreads of members are replaced by this number in the thesis's score


def score(task: Task, settings: TableSettings, problem: Problem) -> dict[str, float]:
    """Fit and score.

    Returns
    -------
    dict
        ``rmse``, and ``nll`` and ``coverage_90`` of the predictive mixture; for ensembles also ``spread``, and
        ``nll_spread``, the thesis's score, whose variance is the spread of the members only. Scores are in the target's
        units under the protocol "standard", and in units of the scaled target under the thesis's protocols, which also
        have ``leaked``, the share of the test rows that were trained on. If the networks diverged, there is only
        ``diverged``.
    """
    y, scale = problem.test.y, problem.scale
    try:
        predictions = predicted(task.model, problem, settings)
    except Diverged:
        return {"diverged": 1.0}
    below = predictions.mixture.cdf(y)
    scores = {
        "rmse": float(np.sqrt(np.mean((y - predictions.mixture.mean()) ** 2))) * scale,
        "nll": -float(np.mean(predictions.mixture.log_density(y))) + math.log(scale),
        "coverage_90": float(np.mean((below > 0.05) & (below < 0.95))),
        "leaked": problem.leaked,
    }
    if len(predictions.members) > 1:
        spread = np.maximum(predictions.members.std(axis=0, ddof=1), LEAST)
        scores["nll_spread"] = gaussian_nll(y, predictions.members.mean(axis=0), spread) + math.log(scale)
        scores["spread"] = float(spread.mean()) * scale
    return scores


class Predicted(NamedTuple):
    """The predictions of a model for the test rows: a mixture of Gaussians, and the outputs of its members."""

    mixture: Mixture
    members: Array


def predicted(model: str, problem: Problem, settings: TableSettings) -> Predicted:
    """The predictions of a model; raises `Diverged` if an ensemble diverges with every setting."""
    if model == "linear":
        return _linear(problem)
    if model == "gp":
        return _process(problem, settings.seed)
    return (
        _as_the_thesis(model, problem, settings)
        if problem.protocol != "standard"
        else _standard(model, problem, settings)
    )


def _linear(problem: Problem) -> Predicted:
    fitted = LinearRegression().fit(*problem.train)
    mean, error = fitted.predict(problem.test.X, return_std=True)
    return Predicted(Mixture(mean[None], np.sqrt(error**2 + fitted.noise_variance)[None]), mean[None])


def _process(problem: Problem, seed: int) -> Predicted:
    X, y = problem.train
    covariance, noise = regression_covariance(X, y, seed=seed)[:2]
    if len(y) <= EXACT:
        mean, sd = ExactGaussianProcess(covariance, noise).fit(X, y).predict(problem.test.X, return_std=True)
    else:
        gaussian = likelihoods.Gaussian(noise_variance=noise)
        model = SparseGaussianProcess(covariance, gaussian, INDUCING, seed=seed).fit(X, y)
        mean, sd = model.predict(problem.test.X, return_std=True)
    return Predicted(Mixture(mean[None], np.sqrt(sd**2 + noise)[None]), mean[None])


def _as_the_thesis(model: str, problem: Problem, settings: TableSettings) -> Predicted:
    """The program's settings: networks start from the prior, whose sd is 1 / sqrt(outputs of the layer).

    As printed, the prior is N(0, 1), the start has variances of 2 / outputs, and the step size is 0.1.
    """
    X, y = problem.train
    network = Network(X.shape[1], (UNITS,))
    loss = NetworkLoss(network, X, y, batch_size=min(BATCH, len(y)), batches="fresh")
    method = _method(model, THESIS_KL, THESIS_MMD, problem, settings.seed)
    steps = PASSES * -(-len(y) // BATCH)
    printed = problem.protocol == AS_PRINTED
    prior = network.prior("unit" if printed else "kaiming-fan-out-code")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "step_size|the largest step_size|the repulsion of", UserWarning)
        final = simulate(
            loss, method, prior, network.prior("kaiming-fan-out") if printed else None, particles=settings.particles,
            steps=steps, step_size=PRINTED_STEP if printed else THESIS_STEP, record_every=0,
            seed=_seed(settings, problem.split),
        ).final  # fmt: skip
    members = network.predict(final, problem.test.X)
    noise = noise_variance(y, network.predict(final, X))  # from the training rows, as there are no others: too small
    return Predicted(Mixture(members, np.sqrt(noise)), members)


def _standard(model: str, problem: Problem, settings: TableSettings) -> Predicted:
    """Choose settings, length of training and noise by the mixture's likelihood of the validation rows."""
    X, y = problem.train
    network = Network(X.shape[1], (UNITS,))
    loss = NetworkLoss(network, X, y, batch_size=min(BATCH, len(y)))
    most = settings.steps  # equal for all methods: the length matters more than the method
    lengths = [most, max(1, most // 4), max(1, most // 16)] if model == "de" else [most, max(1, most // 4)]
    weights = TEMPERATURES if model in ("dle", "drle") else TEMPERATURES[:1]
    chosen = Settings(settings.particles, most, STEP, seed=_seed(settings, problem.split))
    ends: list[list[Array | None]] = []
    for kl_weight in weights:
        method = _method(model, kl_weight, THESIS_MMD, problem, settings.seed)
        checked = check_problem(loss, method, network.prior("he"), None, chosen)
        ends.append(at_lengths(checked, method, STEP, lengths[::-1], FALL)[::-1])
    best: tuple[float, Array, float] | None = None
    for final in (end for of_length in zip(*ends, strict=True) for end in of_length):
        if final is None:
            continue
        known = network.predict(final, problem.validation.X)
        noise = noise_variance(problem.validation.y, known)
        score = -float(np.mean(Mixture(known, np.sqrt(noise)).log_density(problem.validation.y)))
        if best is None or score < best[0]:
            best = score, final, noise
    if best is None:
        raise Diverged("the networks became non-finite for every length of training", most, 0)
    members = network.predict(best[1], problem.test.X)
    return Predicted(Mixture(members, np.sqrt(best[2])), members)


def _method(model: str, kl_weight: float, mmd_weight: float, problem: Problem, seed: int) -> Method:
    median = kernels.SquaredExponential("median")
    if model == "de":
        return methods.DE()
    if model == "dle":
        return methods.DLE(kl_weight)
    if model == "drle":
        return methods.DRLE(kl_weight, mmd_weight, median)
    random = np.random.default_rng([seed, problem.split])
    context = random.uniform(-BOX, BOX, (CONTEXT, problem.train.X.shape[1]))
    return methods.DRLE(kl_weight, OUTPUTS_MMD, kernels.OnOutputs(median, context))


def _seed(settings: TableSettings, split: int) -> int:
    return settings.seed + 1000 * split
