"""The interaction of a repulsive method by itself: what other particles and the prior do to each, without the loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from particlegvi.contracts import Array, Kernel, Loss, Prior
from particlegvi.engine.networks.features import FeatureKernel
from particlegvi.engine.pairs.repulsion import Repulsion
from particlegvi.engine.terms import evaluate
from particlegvi.methods import features, options
from particlegvi.methods.flow import ParticleProblem
from particlegvi.methods.free_energy import FreeEnergy


class Simulated(Protocol):
    """A run, or a problem: what an interaction belongs to."""

    @property
    def loss(self) -> Loss: ...
    @property
    def prior(self) -> Prior: ...
    @property
    def seed(self) -> int: ...


def interaction(method: FreeEnergy, of: Simulated, start: Array) -> Callable[[Array], Array]:
    """The velocity -lambda1 ((1/N) sum_j grad_1 kappa(x_i, x_j) - grad mu_P(x_i)) of particles (particles, dim).

    ``start`` is where the run began: bandwidth rules may look at it. Without repulsion the velocity is zero.
    """
    if method.mmd_weight == 0.0:
        return np.zeros_like
    kernel: Kernel | None = method.kernel
    if isinstance(kernel, FeatureKernel):
        problem = ParticleProblem(of.loss, of.prior, start, 1, 1.0, of.seed, "euler-maruyama", 1e-12)
        force, _ = features.repulsion(kernel, problem, **options.embedding_options(method.embedding))
        return _velocity(force, method.lambda1)
    resolved, _ = method.resolved_kernel(of.prior, start, of.seed)
    term = method.resolved_embedding(of.prior, resolved, of.seed).term
    pairs = _velocity(Repulsion(resolved, start.shape[1], 1e-12), method.lambda1)
    return lambda x: pairs(x) + method.lambda1 * evaluate.gradients(term, x)


def _velocity(repulsion: Repulsion, factor: float) -> Callable[[Array], Array]:
    def velocity(x: Array) -> Array:
        out = np.zeros_like(x)
        repulsion.force(np.ascontiguousarray(x), factor, out)
        return -out

    return velocity
