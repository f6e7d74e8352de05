"""One call from a posterior to draws: start, scale, step size and end are chosen."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array, Facts, StepProgress
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.simulation.sampling.halves import Halves
from particlegvi.simulation.sampling.posterior import LinearView, PosteriorEnergy
from particlegvi.simulation.sampling.sample_settings import SampleSettings, scaling
from particlegvi.simulation.sampling.start import find_start
from particlegvi.simulation.sampling.stopping import UNJUDGED, Verdict, judge, observed

ADAPTATION = 4  # steps of an adaptation of the step size, and between two looks at the acceptance rate
LOOKS = (8, 1.22)  # steps before the first look at the verdict, and their growth from look to look
PASSED = 3  # points at the start that no window has
NORMAL_99 = 2.576
RIGHT_RATES = (0.35, 0.8)  # acceptance rates at which the step size need not be adapted again


class Arrival(NamedTuple):
    positions: Array  # (records, particles, dim)
    verdict: Verdict
    facts: Facts


@one_blas_thread()
@np.errstate(all="ignore")  # a density that is not integrable leads to where numbers overflow
def arrive(posterior: PosteriorEnergy, chosen: SampleSettings, progress: StepProgress | None = None) -> Arrival:
    """Sample ``posterior`` until the ensemble has arrived, or the steps or seconds are used up.

    Its matrices are small: on a busy machine threads of BLAS would take longer than they help, and move last digits.
    """
    began = time.perf_counter()
    steps, seed = chosen.steps, chosen.seed
    start = find_start(posterior, chosen.particles, seed, chosen.initial)
    ensemble = Halves(start.view, start.particles, seed, scaling(chosen.preconditioner, start.view))
    if chosen.step_size is not None:
        ensemble.step_size.now = np.log(chosen.step_size)
    positions, energies, rates = [ensemble.now.place.copy()], [ensemble.now.energy.copy()], []
    adapting, changed, frozen = chosen.step_size is None, 0, 0
    verdict, counted, looks = Verdict(False, UNJUDGED), 0, _looks(steps)
    for step in range(steps):
        rates.append(ensemble.step(step, adapting))
        positions.append(ensemble.now.place.copy())
        energies.append(ensemble.now.energy.copy())
        if (step + 1 - changed) % ADAPTATION == 0 and chosen.step_size is None:
            rate = np.mean(rates[-ADAPTATION:])
            if adapting:
                ensemble.step_size.freeze()
                adapting, frozen = False, step + 1
            elif not RIGHT_RATES[0] < rate < RIGHT_RATES[1]:
                ensemble.step_size.restart()
                adapting, changed = True, step + 1
        if not adapting and step + 1 in looks:
            windows = _windows(len(positions), frozen, posterior.is_bent)
            if windows:  # else the verdict before the step size was adapted again stays
                wanted = (NORMAL_99 / chosen.accuracy) ** 2
                verdict, counted = _look(start.view, positions, energies, windows, wanted)
            if verdict.arrived:
                break
        if progress is not None:
            progress(step + 1, steps)
        if chosen.seconds is not None and time.perf_counter() - began > chosen.seconds:
            break
    flaw = posterior.flaw
    if flaw is not None and flaw.energy < ensemble.now.energy.max():
        raise ValueError(flaw.sentence)
    facts = {
        "start": start.facts,
        "steps": step + 1,
        "counted": counted if verdict.arrived else 2 * (len(positions) // 3) or 1,
        "gradients": posterior.evaluations,
        "step_size": float(np.exp(ensemble.step_size.now)),
        "acceptance_rate": float(np.mean(rates[-ADAPTATION:])),
        "seconds": time.perf_counter() - began,
    }
    return Arrival(posterior.support.inside(start.view.places(np.array(positions))), verdict, facts)


def _looks(steps: int) -> set[int]:
    """The numbers of steps at which a run of so many is judged: few, for each look is a chance to be wrong."""
    (look, growth), looks = LOOKS, set()
    while look <= steps:
        looks.add(look)
        look = max(look + 2, int(look * growth))
    return looks


def _windows(records: int, frozen: int, is_bent: bool) -> list[int]:
    """The lengths of two windows at the end of the run by which it is judged: the longest ones, and two thirds of it.

    The later window begins after the step size was frozen. Longer windows hold more draws, and see slower drifts, but
    they reach back to the start, whose width bent coordinates make larger.
    """
    lengths = [(records - PASSED) // 2, (records - 1) // 3]
    return [length for length in lengths[1 if is_bent else 0 :] if records - 1 - length >= frozen]


def _look(
    view: LinearView, positions: list[Array], energies: list[Array], windows: list[int], wanted_draws: float
) -> tuple[Verdict, int]:
    """The verdict by the first windows that pass, or else by the last ones.

    With it the number of records that it counts, from the last one.
    """
    verdict, window = Verdict(False, UNJUDGED), 0
    for window in windows:
        last = slice(len(positions) - 2 * window, None)
        z = np.array(positions[last])
        verdict = judge(observed(view.places(z), z, np.array(energies[last])), wanted_draws)
        if verdict.arrived:
            break
    return verdict, 2 * window
