"""The parts of a prior that methods and truths use are of one law: that of its draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import particlegvi as pg
from particlegvi.contracts import Array, Prior
from particlegvi.engine.terms import evaluate
from particlegvi.targets.minimisers import repulsive
from particlegvi.verification import chance
from particlegvi.verification.claim import Check, Checks, claim

KERNEL = pg.kernels.SquaredExponential(lengthscale=1.0)
METHOD = pg.methods.DRLE(kl_weight=0.5, mmd_weight=1.0, kernel=KERNEL)
LOSS = pg.Loss.from_formula("(t - 1)^2/2", variables=["t"])
ROUND = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)  # probes lie around the mean, in standard deviations
PROBES = {1: np.linspace(-2.0, 2.0, 8)[:, None], 2: 1.2 * np.stack([np.cos(ROUND), np.sin(ROUND)], axis=1)}
PRIORS: dict[str, Callable[[], Any]] = {
    "Laplace": lambda: pg.priors.Laplace(0.3, 0.7),
    "Student t": lambda: pg.priors.StudentT(5.0, 0.2, 0.5),
    "mixture": lambda: pg.priors.GaussianMixture([-2.0, 1.0], [0.5, 1.5], [1.0, 3.0]),
    "formula": lambda: pg.Prior.from_formula("exp(-(t^2 - 1)^2)"),
    "plane": lambda: pg.Prior.from_formula("exp(-x^2/2 - 2*(y - x^2/3)^2)"),
}
KINDS = ("mean embedding", "drift", "Q* of DRLE")


@claim(
    "thesis, 5.4.3 and C.7 (C.123, C.125, C.128); Stein's identity",
    wrong="parts of a normal prior with the same moments",
)
def prior_parts(seed: int, wrong: bool, *, draws: int = 10_000, names: tuple[str, ...] = tuple(PRIORS)) -> Checks:
    """Draws, mean embedding, drift and Q* of each prior belong to one law.

    Draws T of each prior against its other parts, in standard errors.

    The mean embedding at a point x is E kappa(x, T). The drift's gradient of log p has Stein's identity,
    E (grad kappa(x, T) + kappa(x, T) grad log p(T)) = 0. And DRLE's Q* is the law of draws that are weighted by
    exp(-(loss - lambda1 mu_P + lambda1 kappa * Q*) / kl_weight), so that its mean is theirs. Wrong: all of these parts,
    but not the draws, are those of a normal prior with the same means and standard deviations.
    """
    errors: dict[str, Array] = {}
    for name in names:
        prior = PRIORS[name]()
        assumed = pg.priors.Normal(prior.mean, prior.sd) if wrong else prior
        deviations = _deviations(assumed, prior.sample(draws, seed=seed), prior.mean, prior.sd)
        errors |= {f"{kind} of {name}": of for kind, of in zip(KINDS, deviations, strict=False)}
    bound = chance.student(draws, sum(of.size for of in errors.values()))
    return tuple(
        Check(f"{words}, largest in standard errors", float(np.max(np.abs(of))), bound) for words, of in errors.items()
    )


def _deviations(prior: Prior, draws: Array, mean: Array, sd: Array) -> list[Array]:
    """Deviations of the embedding, of Stein's identity, and in 1-D of the mean of Q*, with the parts of ``prior``."""
    x = mean + sd * PROBES[draws.shape[1]]
    embedding = pg.priors.embedding(prior, KERNEL).term
    gap = x[:, None] - draws
    kappa = np.exp(-0.5 * np.sum(gap**2, axis=2))
    score = -evaluate.gradients(prior.term(), draws)
    stein = (gap + score) * kappa[:, :, None]
    deviations = [_errors(kappa - evaluate.values(embedding, x)[:, None]), _errors(np.moveaxis(stein, 1, -1))]
    if draws.shape[1] == 1:
        target = repulsive(LOSS, prior, METHOD.kl_weight, METHOD.mmd_weight, KERNEL)
        lambda1 = 2.0 * METHOD.mmd_weight
        repulsion = np.exp(-0.5 * (draws - target.grid) ** 2) @ target.masses
        potential = LOSS.value(draws) + lambda1 * (repulsion - evaluate.values(embedding, draws))
        weights = np.exp(-(potential - potential.min()) / METHOD.kl_weight)
        deviations.append(_errors((weights * (draws[:, 0] - target.mean))[None]))
    return deviations


def _errors(values: Array) -> Array:
    """Means over the last axis, which are 0 in expectation, in their standard errors."""
    deviation: Array = values.mean(axis=-1) / (values.std(axis=-1, ddof=1) / np.sqrt(values.shape[-1]))
    return deviation
