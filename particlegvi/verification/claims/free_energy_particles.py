"""The free energy of the particles decreases as well, up to the bias of the steps and the sampling error."""

from __future__ import annotations

import math

import numpy as np

import particlegvi as pg
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.picture import Picture

METHOD = problems.STRONG


class FreeEnergyParticles(Claim):
    """L of DRLE's particles at times that double, averaged over runs: the largest increase relative to its bound.

    Between two records L may increase by the step size, for Euler and Maruyama's first order, plus a Student's bound on
    the mean difference of the runs. Wrong: V as printed in C.7, with the subscripts of the weights swapped.
    """

    name = "free-energy-particles"
    claim = "L falls along DRLE's particles, up to O(step_size) and 4 standard errors"
    source = "thesis, 5.3.2 (5.6)"
    wrong = "V with the weights swapped, as C.7 prints it"
    runs, particles, step_size = 24, 1_000, 5e-3
    records = (0, 5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560)

    def measure(self, seed: int, wrong: bool) -> Experiment:
        loss = problems.swapped(METHOD) if wrong else problems.LOSS
        energies = []
        for own in chance.seeds(seed, self.runs):
            run = problems.simulate(
                METHOD, loss=loss, initial=pg.priors.Normal(-2.0, 0.5), particles=self.particles,
                steps=self.records[-1], step_size=self.step_size, record_every=self.records[1], seed=own,
            )  # fmt: skip
            kept = [run.positions[record // self.records[1]] for record in self.records]
            energies.append([_energy(positions) for positions in kept])
        table = np.array(energies)
        rises = np.diff(table, axis=1)
        error = rises.std(axis=0, ddof=1) / math.sqrt(self.runs)
        allowed = chance.student(self.runs, looks=rises.shape[1]) * error + self.step_size
        worst = int(np.argmax(rises.mean(axis=0) / allowed))
        check = Check("largest rise of L between records", float(rises.mean(axis=0)[worst]), float(allowed[worst]))
        best = pg.diagnostics.target_free_energy(problems.target(METHOD), problems.LOSS, METHOD, prior=problems.PRIOR)
        return Experiment((check,), {"excess": table - best.total})

    def draw(self, picture: Picture, data: Data) -> None:
        excess, times = data["excess"], self.step_size * np.array(self.records)
        error = excess.std(axis=0, ddof=1) / math.sqrt(len(excess))
        picture.errors(times, excess.mean(axis=0), error, "particles, 4 s.e.", "o-").level(0.0, "$L(Q^*)$")
        picture.axes.set_xscale("symlog", linthresh=times[1], linscale=0.5)
        ticks = [0.0, 0.1, 1.0, 10.0]
        picture.frame("time $t$", "$L - L(Q^*)$", "upper right", ticks=ticks, xlim=(0.0, 1.2 * times[-1]))


def _energy(positions: np.ndarray) -> float:
    return pg.diagnostics.free_energy(positions, problems.LOSS, METHOD, prior=problems.PRIOR).total
