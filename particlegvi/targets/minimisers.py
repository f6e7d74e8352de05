"""The targets of the methods with noise: DLE's Gibbs density and DRLE's fixed point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from particlegvi.targets.density import DensityTarget
from particlegvi.targets.quadrature.nodes import discretise
from particlegvi.targets.quadrature.potential import gibbs_log_weight, place_of
from particlegvi.targets.repulsive import Repulsive, attraction_of

if TYPE_CHECKING:
    from particlegvi.contracts import Kernel, Loss, Prior


def gibbs(loss: Loss, prior: Prior, kl_weight: float) -> DensityTarget:
    """DLE's Q*: density proportional to exp(-loss/kl_weight) p (thesis C.76; (2.4) has p^lambda, which is wrong)."""
    log_weight, place = gibbs_log_weight(loss, prior, kl_weight), place_of(prior)
    nodes = discretise(log_weight, place)

    def log_density(x: np.ndarray) -> np.ndarray:
        return log_weight(x) - nodes.log_normaliser

    return DensityTarget(
        log_density,
        nodes,
        low=place.low,
        high=place.high,
        residual=nodes.error,
        error=nodes.error,
        log_normaliser=nodes.log_normaliser,
    )


def repulsive(loss: Loss, prior: Prior, kl_weight: float, mmd_weight: float, kernel: Kernel) -> DensityTarget:
    """DRLE's Q*: the minimiser of E loss + mmd_weight MMD^2 + kl_weight KL (thesis 5.4.3).

    The mean embedding mu_P is exact (or a quadrature to 1e-9), even where a run estimates it by Monte Carlo: Q* is the
    minimiser of the objective itself.
    """
    from particlegvi.priors import embedding

    strength, place = 2.0 * mmd_weight / kl_weight, place_of(prior)
    attraction = attraction_of(embedding(prior, kernel).term, kernel, strength)
    problem = Repulsive(gibbs_log_weight(loss, prior, kl_weight), attraction, kernel, strength, place)
    found = problem.solve()
    nodes = found.nodes
    change = nodes.log_normaliser  # correction: the density was normalised on the nodes of the solver

    def log_density(x: np.ndarray) -> np.ndarray:
        return found.log_density(x) - change

    return DensityTarget(
        log_density,
        nodes,
        low=place.low,
        high=place.high,
        residual=found.residual + nodes.error,
        error=found.bound + nodes.error,
        log_normaliser=found.log_normaliser + change,
    )
