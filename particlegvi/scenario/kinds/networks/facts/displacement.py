"""The displacement of a network by each part of the flow: its own gradient, the interaction, and the noise."""

from __future__ import annotations

import math

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.methods import FreeEnergy
from particlegvi.methods.repulsion import interaction
from particlegvi.scenario.kinds.facts import fact, is_table
from particlegvi.scenario.kinds.networks.run import NetworkRun

RECORDS = 20  # largest number of records at which the velocities are computed


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
    move = interaction(method, run, run.initial)
    at = [np.ascontiguousarray(run.positions[record]) for record in chosen]
    found = {
        "interaction": _length(times, [move(x) for x in at]),
        "gradient": _length(times, [run.network_loss.gradient(x) for x in at]),
        "noise": math.sqrt(2.0 * method.kl_weight * float(times[-1]) * run.dim),
        "size": float(np.sqrt((run.final**2).sum(axis=1)).mean()),
        "distance": [_distance(run.initial), _distance(run.final)],
    }
    return {"displacement": found}


def _length(times: Array, velocities: list[Array]) -> float:
    steps = np.diff(times)[:, None, None]
    v = np.array(velocities)
    return float(np.sqrt(((0.5 * steps * (v[1:] + v[:-1])).sum(axis=0) ** 2).sum(axis=1)).mean())


def _distance(particles: Array) -> float:
    gaps = [np.sqrt(((particles[i + 1 :] - particles[i]) ** 2).sum(axis=1)) for i in range(len(particles) - 1)]
    return float(np.concatenate(gaps).mean())
