"""The separation, by disagreement, of places far from the data and test rows."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.metrics import area_under_curve
from particlegvi.networks.mixtures import entropy, mutual_information
from particlegvi.scenario.kinds.facts import fact, is_number
from particlegvi.scenario.kinds.networks.run import NetworkRun


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
