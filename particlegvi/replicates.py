"""The same method again with other seeds: what of its result is the method's, and what is the seed's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from particlegvi import diagnostics
from particlegvi.runs import Run
from particlegvi.scenario.building import Parts, settled
from particlegvi.simulation import simulate

SEEDS = 2**64


def replicate(run: Run, parts: Parts, scenario: Mapping[str, Any]) -> dict[str, Any]:
    """How many modes the method covers in each of ``scenario["replicates"]`` runs, of which ``run`` is the first.

    Replicate r has the seed of the run plus r, and is otherwise the same run: with the lengthscale that the first one
    chose, where a rule chooses it.

    Returns
    -------
    dict
        ``number`` of replicates; ``modes_covered`` and ``average_loss`` of each; ``mean_modes_covered`` with the 95%
        interval of that mean, [mean, low, high].
    """
    method = settled(run.method, run.info)
    number, modes = scenario["replicates"], scenario["modes"]
    finals = [run.final]
    for other in range(1, number):
        again = simulate(
            parts.loss,
            method,
            prior=parts.prior,
            particles=scenario["particles"],
            steps=scenario["steps"],
            step_size=scenario["step_size"],
            initial=parts.initial,
            seed=(run.seed + other) % SEEDS,
            integrator=scenario["integrator"],
            record_every=0,
            tolerance=scenario["tolerance"],
        )
        finals.append(again.final)
    covered = [int(np.count_nonzero(diagnostics.mode_occupancy(final, modes))) for final in finals]
    return {
        "number": number,
        "modes_covered": covered,
        "mean_modes_covered": list(diagnostics.mean_interval(covered)),
        "average_loss": [float(np.mean(parts.loss.value(final))) for final in finals],
    }
