"""The targets of the methods with noise: DLE's Gibbs density and DRLE's fixed point."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlegvi.targets.density import DensityTarget
from particlegvi.targets.quadrature.nodes import discretise
from particlegvi.targets.quadrature.potential import gibbs_log_weight, place_of
from particlegvi.targets.repulsive import Repulsive


def gibbs(loss: Any, prior: Any, kl_weight: float) -> DensityTarget:
    """DLE's Q*: density proportional to exp(-loss/kl_weight) p (thesis C.76; (2.4) has p^lambda, which is wrong)."""
    log_weight, place = gibbs_log_weight(loss, prior, kl_weight), place_of(prior)
    nodes = discretise(log_weight, place)

    def log_density(x: np.ndarray) -> np.ndarray:
        return log_weight(x) - nodes.log_normaliser

    return DensityTarget(log_density, nodes, place.low, place.high, nodes.error, nodes.error, nodes.log_normaliser)


def repulsive(loss: Any, prior: Any, kl_weight: float, mmd_weight: float, kernel: Any) -> DensityTarget:
    """DRLE's Q*: the minimiser of E loss + mmd_weight MMD^2 + kl_weight KL (thesis 5.4.3).

    The embedding mu_P is the exact one (or a quadrature to 1e-9), also where a run uses Monte Carlo for it: Q* is the
    minimiser of the objective, not of an estimate of it.
    """
    from particlegvi.engine.terms.evaluate import values
    from particlegvi.priors import embedding

    term, place = embedding(prior, kernel).term, place_of(prior)
    problem = Repulsive(
        gibbs_log_weight(loss, prior, kl_weight),
        lambda x: values(term, x),
        kernel,
        2.0 * mmd_weight / kl_weight,
        place,
    )
    found = problem.solve()
    nodes = found.nodes
    change = nodes.log_normaliser  # the density was normalised on other nodes

    def log_density(x: np.ndarray) -> np.ndarray:
        return found.log_density(x) - change

    return DensityTarget(
        log_density,
        nodes,
        place.low,
        place.high,
        found.residual + nodes.error,
        found.bound + nodes.error,
        found.log_normaliser + change,
    )
