"""The targets of the methods with noise: DLE's Gibbs density and DRLE's fixed point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from particlegvi.targets.density import DensityTarget
from particlegvi.targets.quadrature.missed import certifier
from particlegvi.targets.quadrature.nodes import Nodes, discretise
from particlegvi.targets.quadrature.potential import Place, gibbs_log_weight, place_of
from particlegvi.targets.repulsive import Repulsive, attraction_of

if TYPE_CHECKING:
    from particlegvi.contracts import Kernel, Loss, Prior

UNCERTAIN = 0.05  # share of the mass that no bound excludes, from which the sharpest places are searched again
CERTAINLY = 1e-5  # share that the quadrature has been proven to miss, likewise
MOST_SEARCHES = 3


def gibbs(loss: Loss, prior: Prior, kl_weight: float) -> DensityTarget:
    """DLE's Q*: density proportional to exp(-loss/kl_weight) p (thesis C.76; (2.4) has p^lambda, which is wrong)."""
    log_weight = gibbs_log_weight(loss, prior, kl_weight)
    place, nodes, missed = _searched(loss, prior, kl_weight)

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
        resolution=place.resolution,
        missed=missed,
    )


def repulsive(loss: Loss, prior: Prior, kl_weight: float, mmd_weight: float, kernel: Kernel) -> DensityTarget:
    """DRLE's Q*: the minimiser of E loss + mmd_weight MMD^2 + kl_weight KL (thesis 5.4.3).

    The mean embedding mu_P is exact (or a quadrature to 1e-9), even where a run estimates it by Monte Carlo: Q* is the
    minimiser of the objective itself.
    """
    from particlegvi.priors import embedding

    strength, (place, _, _) = 2.0 * mmd_weight / kl_weight, _searched(loss, prior, kl_weight)
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
        resolution=place.resolution,
    )


def _searched(loss: Loss, prior: Prior, kl_weight: float) -> tuple[Place, Nodes, float | None]:
    """The place of exp(-loss/kl_weight) p with the wells that its survey misses, its quadrature, and `Missed.share`.

    Only a formula can be searched without a gap: the share is None for other losses and priors, and where no bound is
    found.
    """
    place, log_weight = place_of(prior), gibbs_log_weight(loss, prior, kl_weight)
    nodes = discretise(log_weight, place)
    certify = certifier(loss, prior, kl_weight, place)
    if certify is None:
        return place, nodes, None
    missed = certify.missed(nodes)
    for _ in range(MOST_SEARCHES):
        if (missed.share <= UNCERTAIN and missed.least <= 1.0 + CERTAINLY) or not missed.wells:
            break
        place = place._replace(wells=(*place.wells, *missed.wells))
        nodes = discretise(log_weight, place)
        missed = certify.missed(nodes)
    return place, nodes, missed.share if missed.share < 1.0 else None
