"""The free energy decreases along its Wasserstein gradient flow, to L(Q*)."""

from __future__ import annotations

import numpy as np

from particlegvi.verification import problems
from particlegvi.verification.claim import Check, Claim, Data, Experiment
from particlegvi.verification.fokker_planck import FokkerPlanck
from particlegvi.verification.picture import Picture

METHOD = problems.STRONG
CENTRES = np.linspace(-5.0, 4.0, 301)


def flow(wrong: bool = False) -> FokkerPlanck:
    """The flow of DRLE on the grid; with ``wrong`` that of the potential printed in C.7."""
    potential = problems.potential(CENTRES, METHOD)
    if wrong:
        change = METHOD.lambda1 - METHOD.kl_weight
        potential = potential + change * (0.5 * CENTRES**2 + problems.embedding(CENTRES))
    return FokkerPlanck(potential, CENTRES, METHOD.kl_weight, METHOD.lambda1, lambda r2: np.exp(-0.5 * r2))


class FreeEnergyGrid(Claim):
    """L(Q_t) of DRLE by a Fokker-Planck solve: it never increases, and ends at L(Q*), with Q* from the fixed point.

    With the implicit steps L decreases at any step size, so that only rounding errors are allowed; the bounds do not
    depend on the start. Wrong: the flow of V as printed in C.7, with the weights swapped, which does not end at Q*.
    """

    name = "free-energy-grid"
    claim = "L(Q_t) falls along the flow, down to L(Q*): DRLE by a Fokker-Planck solve"
    source = "thesis, 5.3.2 and C.5 (C.97, C.100)"
    wrong = "V with the weights swapped, as C.7 prints it"
    steps, step_size = 1_000, 0.03

    def measure(self, seed: int, wrong: bool) -> Experiment:
        judge, moved = flow(), flow(wrong)
        masses = np.exp(-0.5 * ((CENTRES + 2.0) / 0.5) ** 2)
        masses /= masses.sum()
        best = problems.target(METHOD).pdf(CENTRES)
        lowest = judge.free_energy(best / best.sum())
        energies = []
        for _ in range(self.steps):
            energies.append(judge.free_energy(masses) - lowest)
            masses = moved.step(masses, self.step_size)
        excess = np.array(energies)
        rise = float(np.max(excess - np.minimum.accumulate(excess)))
        checks = (
            Check("rise of L above what it had fallen to", rise, 1e-11),
            Check("L(Q_t) - L(Q*) at the end", float(abs(excess[-1])), 1e-5),
        )
        return Experiment(checks, {"excess": excess})

    def draw(self, picture: Picture, data: Data) -> None:
        times = self.step_size * np.arange(len(data["excess"]))
        picture.curve(times, data["excess"], "along the flow").level(0.0, "the minimum")
        picture.frame("time $t$", "$L(Q_t) - L(Q^*)$", "upper right", xlim=(0.0, 12.0))
