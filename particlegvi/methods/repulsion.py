"""The repulsion of a method: its options as a user may write them, its kernel of particles or of features, and the
attraction to the prior."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from particlegvi import kernels
from particlegvi.contracts import Array, Facts, Kernel, Loss, Prior, Term
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.kernel_cache import from_outside
from particlegvi.engine.numerics.noise import normals
from particlegvi.engine.pairs.features import Attraction, FeatureRepulsion, Features, FreshRepulsion
from particlegvi.engine.pairs.repulsion import Repulsion, is_gaussian
from particlegvi.engine.terms import evaluate
from particlegvi.engine.terms.user_parts import try_kernel
from particlegvi.kernels import bandwidth
from particlegvi.kernels.on_outputs import OnFeatures, OnOutputs
from particlegvi.methods.flow import ParticleProblem
from particlegvi.priors import Flat, embedding, mean_embedding
from particlegvi.priors.weighted_points import standard_error
from particlegvi.tools import arguments, objects

SAMPLES = 200  # frozen draws from the prior


class Repelling(Protocol):
    """The settings of a method that decide on its repulsion, as a `FreeEnergy` has them."""

    @property
    def mmd_weight(self) -> float: ...
    @property
    def lambda1(self) -> float: ...
    @property
    def kernel(self) -> Kernel | None: ...
    @property
    def embedding(self) -> object: ...


@runtime_checkable
class OfFunctions(Protocol):
    """Features that are values of functions."""

    # the covariance (features, features) of the features under a process
    def covariance(self, process: Callable[[Array], Array], /) -> Array: ...


@runtime_checkable
class HasOutputs(Protocol):
    """An optional part of a loss: it knows features of its particles, those in one step."""

    def features(self, kernel: OnFeatures, step: int = 0, seed: int = 0, /) -> Features: ...


class Simulated(Protocol):
    """A run or a problem, whose particles may repel each other."""

    @property
    def loss(self) -> Loss: ...
    @property
    def prior(self) -> Prior: ...
    @property
    def seed(self) -> int: ...


class Interaction(NamedTuple):
    """The repulsion of a method in one problem, all None where its weight is 0.

    A kernel of features brings its attraction to the prior inside ``repulsion``; ``embedding`` and ``kernel`` are those
    of a kernel of particles.
    """

    repulsion: Repulsion | None = None
    embedding: Term | None = None
    kernel: Kernel | None = None
    facts: Facts | None = None


def kernel_of(kernel: object) -> Kernel | None:
    """A kernel, from a name or a mapping with ``name`` and parameters, as scenarios have it, too; None stays None."""
    if isinstance(kernel, str):
        kernel = {"name": kernel}
    if isinstance(kernel, Mapping):
        try:
            return kernels.get(**{"name": "squared-exponential", **kernel})
        except (TypeError, ValueError) as error:
            raise ValueError(f"kernel: {error}") from None
    if kernel is None:
        return None
    allowed = "a kernel of particlegvi.kernels, or None"
    checked: Kernel = objects.having("kernel", kernel, Kernel, allowed, without="name")
    if isinstance(checked, tuple) and from_outside(checked):
        try_kernel(checked)
    return checked


def kernel_facts(kernel: Kernel, rule: str) -> Facts:
    """Facts for the result: the kernel, and its lengthscale with the sentence on the rule that chose it."""
    return {"kernel": kernel.name, "lengthscale": kernel.lengthscale, "lengthscale_rule": rule}


def embedding_options(embedding: object) -> Facts:
    """``how`` and ``samples`` of an embedding given as a name or a mapping."""
    options: Facts = {"how": embedding}
    if isinstance(embedding, Mapping):
        options = {"how": "auto", **embedding}
    if not set(options) <= {"how", "samples"} or not isinstance(options["how"], str):
        raise arguments.refuse("embedding", embedding, 'a name, or a mapping with "how" and "samples"')
    if options["how"] not in mean_embedding.WAYS:
        raise arguments.refuse("embedding", options["how"], f"one of {', '.join(mean_embedding.WAYS)}")
    if "samples" in options:
        options["samples"] = arguments.whole("samples of the embedding", options["samples"], 1, 1_000_000)
    return options


def check_kernel(kernel: Kernel | None, loss: Loss) -> None:
    """Refuse a kernel of features with a loss that does not know them; their inputs must have its columns."""
    if not isinstance(kernel, OnFeatures):
        return
    if not isinstance(loss, HasOutputs):
        raise ValueError(
            f"kernel must be one of the particles themselves for the loss {loss.name}, not {kernel!r}, which needs a"
            " particlegvi.networks.NetworkLoss"
        )
    loss.features(kernel)


def kernel_from(kernel: Kernel | None, prior: Prior, start: ArrayLike | None, seed: int) -> tuple[Kernel, str]:
    """The kernel of particles with a number for its lengthscale, and a sentence on the rule that chose it."""
    if kernel is None or isinstance(kernel.lengthscale, str) or from_outside(kernel):
        return kernels.resolve(kernel, prior, start, seed)
    return kernel, f"lengthscale {kernel.lengthscale:.6g}, as given"


def repulsion_of(method: Repelling, problem: ParticleProblem) -> Interaction:
    """The repulsion of a method in one problem, its kernel and embedding resolved."""
    if method.mmd_weight == 0.0:
        return Interaction()
    options = embedding_options(method.embedding)
    if isinstance(method.kernel, OnFeatures):
        check_kernel(method.kernel, problem.loss)
        return _of_features(method.kernel, problem, **options)
    prior, seed = problem.prior, problem.seed
    kernel, rule = kernel_from(method.kernel, prior, problem.start, seed)
    attraction = embedding(prior, kernel, seed=seed, **options)
    facts = kernel_facts(kernel, rule)
    facts |= {"embedding": attraction.description, "embedding_error": attraction.error}
    repulsion = Repulsion(kernel, problem.start.shape[1], problem.tolerance)
    return Interaction(repulsion, attraction.term, kernel, facts)


def interaction_velocity(method: Repelling, of: Simulated, start: Array) -> Callable[[Array], Array]:
    """The velocity -lambda1 ((1/N) sum_j grad_1 kappa(x_i, x_j) - grad mu_P(x_i)) of particles (particles, dim).

    ``start`` is where the run began: bandwidth rules may look at it. Without repulsion the velocity is zero.
    """
    problem = ParticleProblem(of.loss, of.prior, start, 1, 1.0, of.seed, "euler-maruyama", 1e-12)
    repulsion, attraction, _, _ = repulsion_of(method, problem)
    if repulsion is None:
        return np.zeros_like

    def velocity(x: Array) -> Array:
        force = np.zeros_like(x)
        repulsion.force(np.ascontiguousarray(x), method.lambda1, force)
        return -force if attraction is None else -force + method.lambda1 * evaluate.gradients(attraction, x)

    return velocity


class DescribedAttraction(NamedTuple):
    """An attraction, how it was found, and its error."""

    attraction: Attraction
    description: str
    error: float = 0.0


def _of_features(
    kernel: OnFeatures, problem: ParticleProblem, how: str = "auto", samples: int = SAMPLES
) -> Interaction:
    loss, prior, seed = problem.loss, problem.prior, problem.seed
    assert isinstance(loss, HasOutputs)
    features = loss.features(kernel, 0, seed)
    number, rule = lengthscale(kernel.kernel, features, problem)
    inner = kernel_of(bandwidth.with_lengthscale(kernel.kernel, number))
    assert inner is not None
    process = kernel.process if isinstance(kernel, OnOutputs) else None

    def attraction(features_then: Features, step: int) -> DescribedAttraction:
        if process is not None:
            assert isinstance(features_then, OfFunctions)
            return _to_process(features_then.covariance(process), inner, how, samples, seed=seed, step=step)
        return _to_prior(features_then, inner, prior, how, samples, seed=seed)

    def at(step: int) -> FeatureRepulsion:
        features_then = loss.features(kernel, step, seed)
        return FeatureRepulsion(inner, features_then, attraction(features_then, step).attraction)

    first, words, error = attraction(features, 0)
    if first.draws is not None:
        error = standard_error(inner, first.draws)
        words += f": standard error at most about {error:.1e}"
    fresh = isinstance(kernel.inputs, str)
    repulsion = FreshRepulsion(inner, at) if fresh else FeatureRepulsion(inner, features, first)
    facts = kernel_facts(inner, rule) | {"kernel": f"{inner.name} on the {kernel.features}"}
    facts |= {"embedding": words, "embedding_error": error}
    return Interaction(repulsion, facts=facts)


def lengthscale(kernel: Kernel, features: Features, problem: ParticleProblem) -> tuple[float, str]:
    """The lengthscale of k in units of the features, and a sentence on how it was chosen."""
    rule = kernel.lengthscale
    if rule == "median":
        if isinstance(problem.prior, Flat):
            raise ValueError('lengthscale must be a number, not the rule "median", where the prior is flat')
        draws = problem.prior.sample(bandwidth.PRIOR_SAMPLES, seed=problem.seed, role="prior")
        number, note = bandwidth.median_distance(features.of(draws))
        reason = f"the median heuristic on the features of {len(draws)} prior samples (seed {problem.seed}){note}"
    elif rule == "authors":
        number, reason = bandwidth.authors_lengthscale(features.of(problem.start))
    else:
        return float(rule), f"lengthscale {rule:.6g}, as given"
    return number, f"lengthscale {number:.6g} by {reason}"


def _to_prior(
    features: Features, kernel: Kernel, prior: Prior, how: str, samples: int, *, seed: int
) -> DescribedAttraction:
    """The mean embedding of the features of draws from the prior, and how it was found with what error."""
    if isinstance(prior, Flat):
        return DescribedAttraction(Attraction(), "constant, because the prior is flat")
    marginal = features.marginal(prior)
    if marginal is not None and how != "monte-carlo":
        known = embedding(marginal, kernel, how, samples, seed)
        gradient = partial(evaluate.gradients, known.term)
        return DescribedAttraction(Attraction(gradient=gradient), known.description, known.error)
    if how in ("closed-form", "quadrature"):
        raise arguments.refuse("embedding", how, '"auto" or "monte-carlo" for a kernel on the outputs of networks')
    draws = features.of(prior.sample(samples, seed=seed, role="prior"))
    return DescribedAttraction(Attraction(draws), f"Monte Carlo with {samples} prior samples (seed {seed})")


def _to_process(
    covariance: Array, kernel: Kernel, how: str, samples: int, *, seed: int, step: int
) -> DescribedAttraction:
    """The mean embedding of the outputs (n,) of a Gaussian process with mean 0 and this covariance (n, n).

    Under k = s^2 exp(-|f - g|^2 / (2 l^2)) it is s^2 det(I + K/l^2)^-1/2 exp(-f^T (K + l^2 I)^-1 f / 2).
    """
    gaussian = is_gaussian(kernel)
    if how == "quadrature" or (how == "closed-form" and not gaussian):
        raise arguments.refuse("embedding", how, '"auto" or "monte-carlo" for this kernel and a process')
    with threads.one_blas_thread():
        values, axes = np.linalg.eigh(covariance)
        values = np.maximum(values, 0.0)
        if how == "monte-carlo" or not gaussian:
            draws = normals(seed, "prior", samples, len(values), step) * np.sqrt(values) @ axes.T
            words = f"Monte Carlo with {samples} functions of the process (seed {seed})"
            return DescribedAttraction(Attraction(draws), words)
    square = float(kernel.lengthscale) ** 2
    height = kernel.variance * math.exp(-0.5 * float(np.log1p(values / square).sum()))

    def gradient(f: Array) -> Array:
        with threads.one_blas_thread():
            pulled = (f @ axes) / (values + square)
            return np.asarray(-height * np.exp(-0.5 * np.sum(pulled**2 * (values + square), axis=1))[:, None]
                              * (pulled @ axes.T))  # fmt: skip

    return DescribedAttraction(Attraction(gradient=gradient), "closed form for a Gaussian process")
