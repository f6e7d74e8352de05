"""One call from a posterior to draws: start, scale, step size and end are chosen."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array, Facts, StepProgress
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.simulation.sampling.ensemble_mala import EnsembleMala, StepSize
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


class Adaptation:
    """The step size: chosen, or adapted and then frozen, and adapted again where too few or too many are accepted."""

    def __init__(self, step_size: StepSize, chosen: float | None) -> None:
        self.step_size, self.is_chosen = step_size, chosen is not None
        self.running = chosen is None
        self.began, self.frozen = 0, 0  # the numbers of steps after which it began, and ended
        if chosen is not None:
            step_size.now = np.log(chosen)

    def update(self, steps: int, rates: list[float]) -> None:
        """Freeze the step size after some steps; later, adapt it again if the acceptance rate is not right."""
        if self.is_chosen or (steps - self.began) % ADAPTATION:
            return
        if self.running:
            self.step_size.freeze()
            self.running, self.frozen = False, steps
        elif not RIGHT_RATES[0] < np.mean(rates[-ADAPTATION:]) < RIGHT_RATES[1]:
            self.step_size.restart()
            self.running, self.began = True, steps


@one_blas_thread()
@np.errstate(all="ignore")  # a density that is not integrable leads to where numbers overflow
def arrive(posterior: PosteriorEnergy, chosen: SampleSettings, progress: StepProgress | None = None) -> Arrival:
    """Sample ``posterior`` until the ensemble has arrived, or the steps or seconds are used up.

    Its matrices are small: on a busy machine threads of BLAS would take longer than they help, and move last digits.
    """
    began = time.perf_counter()
    start = find_start(posterior, chosen.particles, chosen.seed, chosen.initial)
    ensemble = EnsembleMala(start.view, start.particles, chosen.seed, scaling(chosen.preconditioner, start.view))
    adaptation = Adaptation(ensemble.step_size, chosen.step_size)
    positions, energies, rates = [ensemble.now.place.copy()], [ensemble.now.energy.copy()], []
    verdict, looks = Verdict(False, UNJUDGED), _looks(chosen.steps)
    for step in range(chosen.steps):
        rates.append(ensemble.step(step, adaptation.running))
        positions.append(ensemble.now.place.copy())
        energies.append(ensemble.now.energy.copy())
        adaptation.update(step + 1, rates)
        if not adaptation.running and step + 1 in looks:
            windows = _windows(len(positions), adaptation.frozen, posterior.is_bent)
            if windows:  # else the verdict before the step size was adapted again stays
                verdict = _judged(start.view, positions, energies, windows, (NORMAL_99 / chosen.accuracy) ** 2)
            if verdict.arrived:
                break
        if progress is not None:
            progress(step + 1, chosen.steps)
        if chosen.seconds is not None and time.perf_counter() - began > chosen.seconds:
            break
    flaw = posterior.flaw
    if flaw is not None and flaw.energy < ensemble.now.energy.max():
        raise ValueError(flaw.sentence)
    facts = {
        "start": start.facts,
        "steps": step + 1,
        "counted": verdict.counted if verdict.arrived else 2 * (len(positions) // 3) or 1,
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


def _judged(
    view: LinearView, positions: list[Array], energies: list[Array], windows: list[int], wanted_draws: float
) -> Verdict:
    """The verdict by the first windows that pass, or else by the last ones."""
    for window in windows:
        last = slice(len(positions) - 2 * window, None)
        z = np.array(positions[last])
        verdict = judge(observed(view.places(z), z, np.array(energies[last])), wanted_draws)
        if verdict.arrived:
            break
    return verdict._replace(counted=2 * window)
