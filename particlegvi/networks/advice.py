"""Warnings before a run of networks."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.contracts import Array, Method
from particlegvi.engine.pairs.features import FeatureKernel
from particlegvi.integrators import schedules
from particlegvi.methods.flow import ParticleProblem
from particlegvi.methods.free_energy import FreeEnergy
from particlegvi.methods.repulsion import interaction
from particlegvi.priors import Flat

IDLE = 0.01  # warn if the interaction moves a network by less than this share of its noise or gradient


def advice(problem: ParticleProblem, method: Method, activation: str) -> list[str]:
    """Warnings: the posterior is improper, or the repulsion is too weak to have an effect."""
    found = []
    if isinstance(problem.prior, Flat) and method.kl_weight > 0.0 and activation == "relu":
        found.append(
            f"the posterior of {method.label} is improper without a prior: a relu network stays the same if the weights"
            " of one layer grow and those of the next shrink"
        )
    repels = isinstance(method, FreeEnergy) and method.mmd_weight > 0.0 and not isinstance(problem.prior, Flat)
    if repels and isinstance(method, FreeEnergy) and not isinstance(method.kernel, FeatureKernel):
        share, other = _share(problem, method)
        if share < IDLE:
            found.append(
                f"the repulsion of {method.label} between {problem.loss.dim} weights moves a network by {share:.1g} of"
                f" what its {other} does; particlegvi.kernels.OnOutputs repels what networks say"
            )
    return found


def _share(problem: ParticleProblem, method: FreeEnergy) -> tuple[float, str]:
    """The displacement by the interaction divided by that by noise (or by the gradient), and the divisor's name."""
    step_size = problem.step_size
    times = schedules.times(step_size, np.array([problem.steps]))
    time = float(times[-1])
    pushed = _length(interaction(method, problem, problem.start)(problem.start)) * time
    if method.kl_weight > 0.0:
        return pushed / max(math.sqrt(2.0 * method.kl_weight * time * problem.loss.dim), 1e-300), "noise"
    return pushed / max(_length(problem.loss.gradient(problem.start)) * time, 1e-300), "gradient"


def _length(vectors: Array) -> float:
    return float(np.sqrt((vectors**2).sum(axis=1)).mean())
