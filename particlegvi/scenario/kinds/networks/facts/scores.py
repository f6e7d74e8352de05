"""Scores of the predictions in the region of the data, and in regression also between and beyond the data."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.metrics import gaussian_nll
from particlegvi.networks.mixtures import mutual_information
from particlegvi.scenario.kinds.facts import fact, is_number, is_table
from particlegvi.scenario.kinds.networks.run import NetworkRun

BAND = (0.05, 0.95)
LEAST = 1e-75  # smaller spreads are replaced by this number


@fact(20, nll=is_number, rmse=is_number, coverage_90=is_number, regions=is_table)
def scores(run: NetworkRun) -> Facts:
    """In regression ``rmse``, ``nll``, ``nll_spread``, ``coverage_90``, ``spread``; in classification ``accuracy``.

    The scores are on the rows of the region "test" or "inside", or on the training rows if there is none; ``regions``
    has the scores of every region.
    """
    if not np.all(np.abs(run.final) < 1e100):
        return {}
    regions = run.data.regions or {"training": (run.data.X, run.data.y)}
    with np.errstate(all="ignore"):
        score = of_classes if run.classifies else of_numbers
        found = {name: _finite(score(run, X, y)) for name, (X, y) in regions.items()}
    first = dict(next(iter(found.values())))
    if not run.classifies:
        first["noise_sd"] = run.noise_sd * run.data.scale if run.noise_sd else None
        if "gap" in found:
            first["spread_gap"] = found["gap"]["spread"]
    return {"scored_on": next(iter(found)), **first, "regions": found}


def of_numbers(run: NetworkRun, X: Array, y: Array) -> Facts:
    """Scores of a regression, in the units of the targets."""
    mixture, scale = run.mixture(X), run.data.scale
    below = mixture.cdf(y)
    mean, spread = mixture.mean(), mixture.centres.std(axis=0, ddof=1)
    return {
        "rmse": float(np.sqrt(np.mean((y - mean) ** 2))) * scale,
        "nll": -float(np.mean(mixture.log_density(y))) + math.log(scale),
        "nll_spread": gaussian_nll(y, mean, np.maximum(spread, LEAST)) + math.log(scale),
        "coverage_90": float(np.mean((below >= BAND[0]) & (below <= BAND[1]))),
        "spread": float(spread.mean()) * scale,
    }


def of_classes(run: NetworkRun, X: Array, y: Array) -> Facts:
    """Scores of a classification."""
    members = run.probabilities(X)
    probability = members.mean(axis=0)
    chosen = probability[np.arange(len(y)), y.astype(int)]
    return {
        "nll": -float(np.mean(np.log(np.maximum(chosen, 1e-300)))),
        "accuracy": float(np.mean(probability.argmax(axis=1) == y)),
        "confidence": float(probability.max(axis=1).mean()),
        "disagreement": float(mutual_information(members).mean()),
    }


def _finite(found: Facts) -> Facts:
    return {name: value if math.isfinite(value) else None for name, value in found.items()}
