"""The driver of networks by the plain scheme: many steps of one particle at a time, with its noise alone.

Without repulsion particles do not see each other, so that each takes all steps of a chunk while its parameters stay in
the cache. With repulsion every step ends with the forces of all. The arithmetic is that of `engine.steps.ensemble`,
which takes the steps where the prior is no Normal or Flat one: the same bits.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.networks.compute import Motion, Networks, row_gradients
from particlegvi.engine.steps.ensemble import Ensemble
from particlegvi.engine.terms.constant import Constant


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


class NetworkEnsemble(Ensemble):
    """Moves networks (particles, dim) by the plain scheme."""

    coupled = False

    def advance(self, positions: Array, first_step: int, steps: int) -> None:
        """Move ``positions`` (particles, dim), C-contiguous float64, in place. How steps are grouped changes no bit."""
        prior = self._gaussian()
        if prior is None or not isinstance(self.outside, OfNetworks):
            super().advance(positions, first_step, steps)
            return
        networks = self.outside.networks
        step, end = first_step, first_step + steps
        gradients = row_gradients(self.terms[2])  # of the mean embedding
        while step < end:
            most = networks.batches.most_steps(len(positions)) if self.repulsion is None else 1
            (gain, now, following, _, _), count = self._stepping(step, min(most, end - step))
            weights, switches = np.array([self.kl_weight, self.lambda1]), self.switches
            if self.repulsion is None:
                motion: Motion = (*prior, weights, switches.array(), (gain, now, following), self.key, step)
                networks.steps(positions, motion, step, count, self.seed)
            else:
                force = np.empty_like(positions)
                self.repulsion.force(positions, self.lambda1, force, step)
                force += networks.gradients_at(positions, step, self.seed)
                embedded = bool(switches.embedding and not self.repulsion.attracts)
                chosen = switches._replace(embedding=embedded).array()
                motion = (*prior, weights, chosen, (gain, now, following), self.key, step)
                pull = gradients(positions) if embedded else None
                networks.move(positions, motion, force, pull)
            step += count

    def _gaussian(self) -> tuple[Array, Array] | None:
        """Mean and inverse sd of the prior, zeros where it has no gradient; None where it is of another form."""
        term = self.terms[1]
        if self.switches.walls:
            return None
        if isinstance(term, Constant):
            zeros = np.zeros(self.low.size)
            return zeros, zeros
        return (term.mean, term.root_precision) if isinstance(term, GaussianTerm) else None
