"""The driver of networks by the plain scheme: many steps of one particle at a time, with its noise alone.

Without repulsion particles do not see each other, so that each takes all steps of a chunk while its parameters stay in
the cache. With repulsion every step ends with the forces of all particles. The arithmetic repeats
`engine.steps.ensemble`, which takes the steps where the prior is neither Normal nor Flat: the same bits.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from particlegvi.contracts import Array
from particlegvi.engine.networks.compute import Motion, Networks, Repelling, row_gradients
from particlegvi.engine.networks.moving import Exponential
from particlegvi.engine.pairs.algorithm import is_gaussian
from particlegvi.engine.pairs.direct import Direct
from particlegvi.engine.pairs.features import FeatureRepulsion
from particlegvi.engine.steps.ensemble import Ensemble
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


@runtime_checkable
class NetworkGaussianSum(Protocol):
    """The term of a mean embedding that is a sum of Gaussians."""

    means: Array
    precisions: Array
    heights: Array


@runtime_checkable
class OfOutputs(Protocol):
    """Features that are outputs at these inputs."""

    inputs: Array


class NetworkEnsemble(Ensemble):
    """Moves networks (particles, dim) by the plain scheme."""

    def advance(self, positions: Array, first_step: int, steps: int) -> None:
        prior = self._gaussian()
        if prior is None or not isinstance(self.outside, OfNetworks):
            super().advance(positions, first_step, steps)
            return
        networks = self.outside.networks
        step, end = first_step, first_step + steps
        gradients = row_gradients(self.terms[2])  # of the mean embedding
        while step < end:
            repelling = self._repelling(positions, networks)
            together = self.repulsion is None or repelling is not None
            most = networks.batches.most_steps(len(positions)) if together else 1
            (gain, now, following, _, _), count = self._stepping(step, min(most, end - step))
            force, embedded = np.empty_like(positions), bool(self.switches.embedding)
            if repelling is not None:
                embedded = bool(repelling[3][2].size)
            elif self.repulsion is not None:
                self.repulsion.force(positions, self.lambda1, force, step)
                force += networks.gradients_at(positions, step, self.seed)
                embedded = embedded and not self.repulsion.attracts
            weights, switches = np.array([self.kl_weight, self.lambda1]), self.switches._replace(embedding=embedded)
            motion: Motion = (*prior, weights, switches.array(), (gain, now, following), self.key, step)
            if self.repulsion is None:
                networks.steps(positions, motion, step, count, self.seed)
            elif repelling is not None:
                networks.repelled(positions, motion, repelling, step, count, seed=self.seed)
                self.repulsion.note((FeatureRepulsion if repelling[1].size else Direct).name, count)
            else:
                networks.move(positions, motion, force, gradients(positions) if embedded else None)
            step += count

    def _gaussian(self) -> tuple[Array, Array] | None:
        """Mean and inverse sd of the prior, zeros where it has no gradient; None where it is of another form."""
        term = self.terms[1]
        if self.switches.walls:
            return None
        if isinstance(term, ConstantTerm):
            zeros = np.zeros(self.dim)
            return zeros, zeros
        return (term.mean, term.root_precision) if isinstance(term, GaussianTerm) else None

    def _repelling(self, positions: Array, networks: Networks) -> Repelling | None:
        """The repulsion in the form of the compiled steps; None where there is none, and for calls from Python."""
        repulsion, nothing = self.repulsion, np.zeros(0)
        if repulsion is None or not is_gaussian(repulsion.kernel) or not networks.alone(len(positions)):
            return None
        kernel = Exponential(float(repulsion.kernel.lengthscale), float(repulsion.kernel.variance))
        no_embedding = np.zeros((0, 0)), np.zeros((0, 0)), nothing
        if isinstance(repulsion, FeatureRepulsion):
            compared = repulsion.features
            if repulsion.fresh or not isinstance(compared, OfOutputs) or repulsion.gradient is not None:
                return None
            draws = nothing if repulsion.draws is None else repulsion.draws
            return kernel, np.require(compared.inputs, requirements="W"), draws, no_embedding
        embedding = self.terms[2]
        if not repulsion.is_direct(positions) or not isinstance(embedding, ConstantTerm | NetworkGaussianSum):
            return None
        given = no_embedding if isinstance(embedding, ConstantTerm) else tuple(embedding)
        return kernel, np.zeros((0, 1)), nothing, given
