"""One call from a posterior to draws: start, scale, step size and end are chosen."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array, Facts, StepProgress
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.simulation.sampling.halves import Halves
from particlegvi.simulation.sampling.posterior import LinearView, PosteriorEnergy
from particlegvi.simulation.sampling.start import find_start
from particlegvi.simulation.sampling.stopping import WINDOW, Verdict, judge, observed
from particlegvi.tools.limits import STEPS_TO_ARRIVE

BETWEEN = 4  # steps between two looks at the verdict
NORMAL_99 = 2.576
RIGHT_RATES = (0.35, 0.8)  # acceptance rates at which the step size need not be adapted again


class Arrival(NamedTuple):
    positions: Array  # (records, particles, dim)
    verdict: Verdict
    facts: Facts


@one_blas_thread()
@np.errstate(all="ignore")  # a density that is not integrable leads to where numbers overflow
def arrive(
    posterior: PosteriorEnergy,
    particles: int,
    seed: int,
    accuracy: float = 0.1,
    most: tuple[int, float | None] = (STEPS_TO_ARRIVE, None),
    progress: StepProgress | None = None,
) -> Arrival:
    """Sample ``posterior`` until the ensemble has arrived, or for ``most`` steps and seconds.

    Its matrices are small: on a busy machine threads of BLAS would take longer than they help, and move last digits.
    """
    began = time.perf_counter()
    steps, seconds = most
    start = find_start(posterior, particles, seed)
    ensemble = Halves(start.view, start.particles, seed)
    positions, energies, rates = [ensemble.now.place.copy()], [ensemble.now.energy.copy()], []
    adapting, changed, frozen = True, 0, 0
    verdict = Verdict(False, "drifts")
    for step in range(steps):
        rates.append(ensemble.step(step, adapting))
        positions.append(ensemble.now.place.copy())
        energies.append(ensemble.now.energy.copy())
        if (step + 1 - changed) % WINDOW == 0:
            rate = np.mean(rates[-WINDOW:])
            if adapting:
                ensemble.step_size.freeze()
                adapting, frozen = False, step + 1
            elif not RIGHT_RATES[0] < rate < RIGHT_RATES[1]:
                ensemble.step_size.restart()
                adapting, changed = True, step + 1
        if not adapting and (step + 1) % BETWEEN == 0:
            verdict = _look(start.view, positions, energies, frozen, (NORMAL_99 / accuracy) ** 2)
            if verdict.arrived:
                break
        if progress is not None:
            progress(step + 1, steps)
        if seconds is not None and time.perf_counter() - began > seconds:
            break
    flaw = posterior.flaw
    if flaw is not None and flaw.energy < ensemble.now.energy.max():
        raise ValueError(flaw.sentence)
    facts = {
        "start": start.facts,
        "steps": step + 1,
        "gradients": posterior.evaluations,
        "step_size": float(np.exp(ensemble.step_size.now)),
        "acceptance_rate": float(np.mean(rates[-WINDOW:])),
        "seconds": time.perf_counter() - began,
    }
    return Arrival(posterior.support.inside(start.view.places(np.array(positions))), verdict, facts)


def _look(view: LinearView, positions: list[Array], energies: list[Array], frozen: int, wanted_draws: float) -> Verdict:
    """The verdict by windows of a length at which the ensemble has arrived, or by the shortest ones.

    The later window begins after the step size was frozen. Longer windows hold more draws, and see slower drifts, but
    they reach back to the start.
    """
    first = None
    window = WINDOW
    while 2 * window < len(positions) and len(positions) - 1 - window >= frozen:
        last = slice(len(positions) - 2 * window, None)
        z = np.array(positions[last])
        verdict = judge(observed(view.places(z), z, np.array(energies[last])), wanted_draws)
        if verdict.arrived:
            return verdict
        first = first or verdict
        window = window * 3 // 2
    return first or Verdict(False, "drifts")
