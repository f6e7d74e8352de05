"""The free energy of DRLE's particles falls, and tends to L(Q*)."""

from __future__ import annotations

import math

import numpy as np

import particlegvi as pg
from particlegvi.diagnostics.free_energy import FreeEnergyParts
from particlegvi.verification import chance, problems
from particlegvi.verification.claim import Check, Checks
from particlegvi.verification.picture import Picture

METHOD = problems.STRONG


class FreeEnergyParticles(problems.Simulated):
    """L of DRLE's particles at times that double, averaged over runs: the largest increase relative to its bound.

    Between two records L may increase by the step size, for Euler and Maruyama's first order, plus a Student's bound on
    the mean difference of the runs.
    """

    claim = "L falls along DRLE's particles, up to O(step_size) and 4 standard errors"
    source = "thesis, 5.3.2 (5.6)"
    wrong = "V with the weights swapped, as C.7 prints it"
    runs, particles, step_size = 24, 1_000, 5e-3
    records = (0, 5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560)
    steps = records[-1]

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        loss = problems.swapped(METHOD) if wrong else problems.LOSS
        energies = []
        for own in chance.seeds(seed, self.runs):
            start, every = pg.priors.Normal(-2.0, 0.5), self.records[1]
            run = self.simulate(METHOD, own, loss=loss, initial=start, record_every=every)
            energies.append([_energy(run.positions[record // every]).total for record in self.records])
        table = np.array(energies)
        rises = np.diff(table, axis=1)
        error = rises.std(axis=0, ddof=1) / math.sqrt(self.runs)
        allowed = chance.student(self.runs, looks=rises.shape[1]) * error + self.step_size
        worst = int(np.argmax(rises.mean(axis=0) / allowed))
        excess, times = table - _lowest(), self.step_size * np.array(self.records)
        spread = excess.std(axis=0, ddof=1) / math.sqrt(self.runs)
        picture.errors(times, excess.mean(axis=0), spread, "particles, 4 s.e.", "o-").level(0.0, "$L(Q^*)$")
        picture.add(lambda axes: axes.set_xscale("symlog", linthresh=times[1], linscale=0.5))
        ticks = [0.0, 0.1, 1.0, 10.0]
        picture.frame("time $t$", "$L - L(Q^*)$", "upper right", ticks=ticks, xlim=(0.0, 1.2 * times[-1]))
        return Check("largest rise of L between records", float(rises.mean(axis=0)[worst]), float(allowed[worst]))


def _energy(positions: np.ndarray) -> FreeEnergyParts:
    return pg.diagnostics.free_energy(positions, problems.LOSS, METHOD, prior=problems.PRIOR)


def _lowest() -> float:
    """L(Q*)."""
    target = problems.target(METHOD)
    return pg.diagnostics.target_free_energy(target, problems.LOSS, METHOD, prior=problems.PRIOR).total


class FreeEnergyLimit(problems.Simulated):
    """L of DRLE's particles at the end of independent runs, against L(Q*) by quadrature, for growing N.

    The entropy is estimated by spacings, and the sum over pairs leaves out the self pairs, which would add
    mmd_weight (kappa(0) - E kappa)/N. The bound is a Student's bound on the mean of the runs plus half of
    mmd_weight kappa(0)/N for the correlation of the particles, whose effect is smaller. Wrong: lambda1
    without its 2, whose particles minimise another L.
    """

    claim = "The free energy of DRLE's particles tends to L(Q*): entropy by spacings, no self pairs"
    source = "thesis, 5.3.2 (5.6) and C.5 (C.100)"
    wrong = "lambda1 = mmd_weight, without its 2"
    runs = {128: 80, 512: 40, 2048: 20}
    steps, step_size = 2_500, 1e-2

    def measure(self, seed: int, wrong: bool, picture: Picture) -> Checks:
        method, best = problems.halved(METHOD, wrong), _lowest()
        seeds = iter(chance.seeds(seed, sum(self.runs.values())))
        checks, series = [], []
        for number, count in self.runs.items():
            settings = {"particles": number, "integrator": "leimkuhler-matthews"}
            ends = [self.simulate(method, next(seeds), **settings).final for _ in range(count)]
            energies = [_energy(end) for end in ends]
            excess = np.array([energy.total for energy in energies]) - best
            error = float(excess.std(ddof=1)) / math.sqrt(count)
            allowed = chance.student(count, looks=len(self.runs)) * error + 0.5 * METHOD.mmd_weight / number
            checks.append(Check(f"L of {number} particles, less L(Q*)", float(abs(excess.mean())), allowed))
            series.append((number, excess.mean(), error, _self_pairs(ends[0], energies[0].mmd_squared)))
        numbers, means, errors, self_pairs = np.array(series).T
        picture.errors(numbers, means, errors, "particles, 4 standard errors")
        picture.dots(numbers, means + self_pairs, "with the self pairs", "s").level(0.0, "$L(Q^*)$")
        picture.add(lambda axes: axes.margins(y=0.25))
        picture.frame("particles $N$", "$L - L(Q^*)$", "center", log="x", ticks=numbers)
        return tuple(checks)


def _self_pairs(end: np.ndarray, mmd_squared: float) -> float:
    """Contribution of the self pairs to L: mmd_weight (kappa(0) - mean over the other pairs)/N."""
    pairs = mmd_squared + 2.0 * problems.embedding(end).mean()
    pairs -= pg.diagnostics.prior_self_energy(problems.PRIOR, problems.KERNEL)
    return METHOD.mmd_weight * (1.0 - float(pairs)) / len(end)
