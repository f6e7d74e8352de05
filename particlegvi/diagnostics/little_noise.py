"""DRE with a little noise on a grid: how far it stays above the minimum of DRE's objective (thesis, C.6)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from particlegvi.contracts import Array, Loss, Method, Prior
from particlegvi.methods.free_energy import FreeEnergy
from particlegvi.targets.fokker_planck import FokkerPlanck

LEAST = 1e-5  # a kl_weight whose minimiser is that of DRE up to about as much
FIRST, LONGEST, GROWTH = 0.02, 1.0, 1.05  # step sizes in time
STAGES = 60  # of a noise that falls


class LittleNoise(NamedTuple):
    """The objective of a DRE between two ends, and its flows with noise."""

    loss: Loss
    method: Method  # with an mmd_weight; its kl_weight does not count
    prior: Prior
    ends: tuple[float, float]
    cells: int = 249

    def flow(self, kl_weight: float) -> FokkerPlanck:
        """The flow with this noise."""
        method = FreeEnergy(kl_weight, self.method.mmd_weight, self.method.kernel)
        return FokkerPlanck.of(self.loss, method, self.prior, self.ends, self.cells)

    def excess(self, laws: list[Array]) -> Array:
        """E loss + mmd_weight MMD^2 of laws on the grid, above the least value of all laws."""
        silent = self.flow(0.0)
        return np.array([silent.free_energy(law) for law in laws]) - silent.free_energy(self.flow(LEAST).minimiser())

    def start(self, places: Array) -> Array:
        """The law of particles (n,) on the grid."""
        return self.flow(0.0).shares(places)

    def after(self, kl_weight: float, law: Array, time: float) -> Array:
        """The law after this time, in steps that grow."""
        flow, passed, step = self.flow(kl_weight), 0.0, FIRST
        while passed < time * (1.0 - 1e-9):
            step = min(step, time - passed)
            try:
                law, passed = flow.step(law, step), passed + step
            except ArithmeticError:  # the step is too long for the repulsion
                step *= 0.5
            else:
                step = min(GROWTH * step, LONGEST)
        return law

    def cooled(self, ends: tuple[float, float], law: Array, time: float) -> Array:
        """The law after this time under a kl_weight that falls from one end to the other, by a constant ratio."""
        for kl_weight in np.geomspace(*ends, STAGES):
            law = self.after(float(kl_weight), law, time / STAGES)
        return law
