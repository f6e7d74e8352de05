"""The facts of a run of networks: its settings, its scores, and the displacement of its networks."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from particlegvi.contracts import Array, Facts
from particlegvi.integrators import schedules
from particlegvi.methods import FreeEnergy
from particlegvi.methods.repulsion import interaction_velocity
from particlegvi.metrics import area_under_curve, gaussian_nll
from particlegvi.networks.mixtures import entropy, mutual_information
from particlegvi.scenario.kinds.facts import fact, is_number, is_table
from particlegvi.scenario.kinds.networks.simulating import NetworkRun
from particlegvi.tools import files

REASON = "networks have too many parameters for a density; their predictions are compared instead"
BAND = (0.05, 0.95)
LEAST = 1e-75  # smaller spreads are replaced by this number
RECORDS = 20  # largest number of records at which the velocities are computed


@fact(10, ("method", "particles", "dim", "run"), run=is_table, weights=is_table)
def ensemble(run: NetworkRun) -> Facts:
    """Method, weights and sizes; ``target`` with the reason why there is none; ``run`` without its seconds."""
    return {
        "method": run.method.label,
        "weights": {"kl_weight": float(run.method.kl_weight), "mmd_weight": float(run.method.mmd_weight)},
        "particles": run.particles,
        "dim": run.dim,
        "observations": run.network_loss.rows,
        "steps": int(run.steps[-1]),
        "step_size": schedules.plain(run.step_size),
        "target": {"kind": None, "reason": REASON},
        "w1": None,
        "run": {name: value for name, value in run.info.items() if name != "seconds"},
    }


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
        by_region = {name: files.finite(score(run, X, y)) for name, (X, y) in regions.items()}
    first = dict(next(iter(by_region.values())))
    if not run.classifies:
        first["noise_sd"] = run.noise_sd * run.data.scale if run.noise_sd else None
        if "gap" in by_region:
            first["spread_gap"] = by_region["gap"]["spread"]
    return {"scored_on": next(iter(by_region)), **first, "regions": by_region}


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


@fact(30, auroc=is_number, auroc_entropy=is_number, auroc_beyond=is_number)
def elsewhere(run: NetworkRun) -> Facts:
    """``auroc`` (by mutual information) and ``auroc_entropy`` for places far from the data against test rows.

    ``auroc_beyond`` is for places beyond the box of the context inputs. ``confidence_far`` is the ensemble's mean
    probability of the likelier class far from the data; ``confidence_far_members`` is the members' mean probability.
    """
    places, test = run.data.places, run.data.regions.get("test")
    if not run.classifies or "far" not in places or test is None or not np.all(np.abs(run.final) < 1e100):
        return {}
    here, far, beyond = (run.probabilities(X) for X in (test[0], places["far"], places["beyond"]))
    known, unknown = mutual_information(here), mutual_information(far)
    return {
        "auroc": _auroc(unknown, known),
        "auroc_entropy": _auroc(entropy(far.mean(axis=0)), entropy(here.mean(axis=0))),
        "auroc_beyond": _auroc(mutual_information(beyond), known),
        "confidence_far": float(far.mean(axis=0).max(axis=1).mean()),
        "confidence_far_members": float(far.max(axis=2).mean()),
    }


def _auroc(above: Array, below: Array) -> float:
    labels = np.r_[np.ones(len(above)), np.zeros(len(below))]
    return float(area_under_curve(labels, np.r_[above, below]))


@fact(40, reference=is_table)
def reference(run: NetworkRun) -> Facts:
    """``reference``: for every region ``nll``, ``coverage_90`` and the function's ``spread`` under this process."""
    data = run.data
    if data.lengthscale == 0.0:
        return {}
    by_region = {}
    for name, (X, y) in data.regions.items():
        mean, sd = data.process(X)
        total = np.sqrt(sd**2 + data.noise_sd**2)
        below = ndtr((y - mean) / total)
        by_region[name] = {
            "nll": gaussian_nll(y, mean, total),
            "coverage_90": float(np.mean((below >= BAND[0]) & (below <= BAND[1]))),
            "spread": float(sd.mean()),
        }
    return {"reference": by_region}


@fact(50, displacement=is_table)
def displacement(run: NetworkRun) -> Facts:
    """``displacement``: the mean of |integral of the velocity dt| over networks, by ``interaction`` and ``gradient``.

    The integrals are trapezoidal sums over the records. ``noise`` is sqrt(2 kl_weight time dim), and ``size`` the mean
    length of the parameters at the end; ``distance`` has the mean distance of two networks at the start and at the end.
    """
    method = run.method
    if not isinstance(method, FreeEnergy) or not np.all(np.abs(run.positions) < 1e100):
        return {}
    chosen = np.unique(np.linspace(0, len(run.steps) - 1, min(RECORDS, len(run.steps))).astype(int))
    times = run.times[chosen]
    move = interaction_velocity(method, run, run.initial)
    at = [np.ascontiguousarray(run.positions[record]) for record in chosen]
    lengths = {
        "interaction": _length(times, [move(x) for x in at]),
        "gradient": _length(times, [run.network_loss.gradient(x) for x in at]),
        "noise": math.sqrt(2.0 * method.kl_weight * float(times[-1]) * run.dim),
        "size": float(np.sqrt((run.final**2).sum(axis=1)).mean()),
        "distance": [_distance(run.initial), _distance(run.final)],
    }
    return {"displacement": lengths}


def _length(times: Array, velocities: list[Array]) -> float:
    steps = np.diff(times)[:, None, None]
    v = np.array(velocities)
    return float(np.sqrt(((0.5 * steps * (v[1:] + v[:-1])).sum(axis=0) ** 2).sum(axis=1)).mean())


def _distance(particles: Array) -> float:
    gaps = [np.sqrt(((particles[i + 1 :] - particles[i]) ** 2).sum(axis=1)) for i in range(len(particles) - 1)]
    return float(np.concatenate(gaps).mean())
