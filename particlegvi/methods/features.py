"""The repulsion of a kernel of features: its lengthscale, its attraction to the prior, and what it cannot do."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.contracts import Array, Facts, Kernel, Loss, Prior
from particlegvi.engine.networks.features import Attraction, Featured, FeatureKernel, FeatureRepulsion, Features
from particlegvi.engine.terms import evaluate
from particlegvi.kernels import bandwidth
from particlegvi.methods.flow import ParticleProblem
from particlegvi.priors import Flat, embedding
from particlegvi.tools import arguments

SAMPLES = 200  # frozen draws from the prior


def check(kernel: Kernel | None, loss: Loss) -> None:
    """Refuse a kernel of features with a loss that does not know them; their inputs must have its columns."""
    if not isinstance(kernel, FeatureKernel):
        return
    if not isinstance(loss, Featured):
        raise ValueError(
            f"kernel must be one of the particles themselves for the loss {loss.name}, not {kernel!r}, which needs a"
            " particlegvi.networks.NetworkLoss"
        )
    loss.features(kernel)


def repulsion(
    kernel: FeatureKernel, problem: ParticleProblem, how: str = "auto", samples: int = SAMPLES
) -> tuple[FeatureRepulsion, Facts]:
    """The repulsion between features of the particles of a problem, and facts about it.

    Parameters
    ----------
    kernel : FeatureKernel
    problem : ParticleProblem
    how, samples
        Of the mean embedding, as `particlegvi.priors.embedding` has them; outputs have no closed form.
    """
    loss, prior, seed = problem.loss, problem.prior, problem.seed
    assert isinstance(loss, Featured)
    features = loss.features(kernel)
    number, sentence = lengthscale(kernel.kernel, features, problem)
    inner = bandwidth.with_lengthscale(kernel.kernel, number)
    if isinstance(prior, Flat):
        attraction, words, error = Attraction(), "constant, because the prior is flat", 0.0
    else:
        attraction, words, error = _attraction(features, inner, prior, how, samples, seed=seed)
    facts = {
        "kernel": f"{inner.name} on the {kernel.what}",
        "lengthscale": number,
        "lengthscale_rule": sentence,
        "embedding": words,
        "embedding_error": error,
    }
    return FeatureRepulsion(inner, features, attraction), facts


def lengthscale(kernel: Kernel, features: Features, problem: ParticleProblem) -> tuple[float, str]:
    """The lengthscale of k in units of the features, and a sentence on how it was chosen."""
    rule = kernel.lengthscale
    if rule == "median":
        if isinstance(problem.prior, Flat):
            raise ValueError('lengthscale must be a number, not the rule "median", where the prior is flat')
        draws = problem.prior.sample(bandwidth.PRIOR_SAMPLES, seed=problem.seed, role="prior")
        number, note = bandwidth.median_distance(features.of(draws))
        how = f"the median heuristic on the features of {len(draws)} prior samples (seed {problem.seed}){note}"
    elif rule == "authors":
        number, how = bandwidth.authors_lengthscale(features.of(problem.start))
    else:
        return float(rule), f"lengthscale {rule:.6g}, as given"
    return number, f"lengthscale {number:.6g} by {how}"


def _attraction(
    features: Features, kernel: Kernel, prior: Prior, how: str, samples: int, *, seed: int
) -> tuple[Attraction, str, float]:
    marginal = features.marginal(prior)
    if marginal is not None and how != "monte-carlo":
        found = embedding(marginal, kernel, how, samples, seed)
        return Attraction(term=found.term), found.description, found.error
    if how in ("closed-form", "quadrature"):
        raise arguments.refuse("embedding", how, '"auto" or "monte-carlo" for a kernel on the outputs of networks')
    draws = features.of(prior.sample(samples, seed=seed, role="prior"))
    error = _error(kernel, draws)
    words = f"Monte Carlo with {samples} prior samples (seed {seed}): standard error at most about {error:.1e}"
    return Attraction(draws), words, error


def _error(kernel: Kernel, draws: Array) -> float:
    """The standard error of the embedding at some of its own draws, the largest of them."""
    if len(draws) < 2:
        return float(kernel.value(0.0))
    some = draws[:64]
    squares = np.array([((draws - each) ** 2).sum(axis=1) for each in some])
    spread = evaluate.profile_values(kernel, squares).std(axis=1, ddof=1)
    return float(spread.max()) / math.sqrt(len(draws))
