"""The flow of DE and DRE by Adam: the drift of a free energy without noise, computed from Python."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.engine.terms.evaluate import gradients
from particlegvi.methods.flow import DriftFlow, ParticleProblem
from particlegvi.methods.repulsion import Repelling, repulsion_of


class NoiselessFlow(DriftFlow):
    """grad loss + lambda1 ((1/N) sum_j grad_1 kappa(x_i, x_j) - grad mu_P(x_i)), the loss perhaps by minibatches."""

    def __init__(self, method: Repelling, problem: ParticleProblem, label: str) -> None:
        repulsion, attraction, _, facts = repulsion_of(method, problem)

        def drift(x: Array, step: int) -> Array:
            found = np.array(problem.loss.gradient_at(x, step, problem.seed), dtype=np.float64)
            if repulsion is not None:
                force = np.zeros_like(x)
                repulsion.force(x, method.lambda1, force, step)
                found += force
                if attraction is not None:
                    found -= method.lambda1 * gradients(attraction, x)
            return found

        super().__init__(problem, label, drift, facts or {})
        self._repulsion = repulsion
        if repulsion is not None:
            self.counts = repulsion.used

    def facts(self) -> Facts:
        return super().facts() | ({} if self._repulsion is None else self._repulsion.facts())
