"""The driver of networks by the plain scheme: many steps of one particle at a time, with its noise alone.

Without repulsion particles do not see each other, so that each takes all steps of a chunk while its parameters stay in
the cache. The arithmetic repeats `engine.steps.driver`, which takes the steps where particles repel each other, and
where the prior is neither Normal nor Flat: the same bits.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.networks.compute import Networks
from particlegvi.engine.steps.driver import CompiledDriver
from particlegvi.engine.terms.constant import ConstantTerm


@runtime_checkable
class OfNetworks(Protocol):
    """A loss that is computed here."""

    @property
    def networks(self) -> Networks: ...


@runtime_checkable
class GaussianTerm(Protocol):
    """The term of a Normal prior."""

    mean: Array
    root_precision: Array


class NetworkDriver(CompiledDriver):
    """Moves networks (particles, dim) by the plain scheme."""

    def advance(self, positions: Array, first_step: int, steps: int) -> None:
        prior = self._gaussian()
        if prior is None or self.repulsion is not None or not isinstance(self.outside, OfNetworks):
            super().advance(positions, first_step, steps)
            return
        networks = self.outside.networks
        step, end = first_step, first_step + steps
        while step < end:
            most = networks.batches.most_steps(len(positions))
            coefficients, count = self.coefficients_at(step, min(most, end - step))
            switches = np.array(self.switches, dtype=np.int64)
            motion = *prior, float(self.potential.weights[0]), switches, tuple(coefficients), self.key, step
            networks.steps(positions, motion, step, count, self.seed)
            step += count

    def _gaussian(self) -> tuple[Array, Array] | None:
        """Mean and inverse sd of the prior, zeros where it has no gradient; None where it is of another form."""
        term = self.potential.prior
        if self.switches.walls:
            return None
        if isinstance(term, ConstantTerm):
            zeros = np.zeros(self.dim)
            return zeros, zeros
        return (term.mean, term.root_precision) if isinstance(term, GaussianTerm) else None
