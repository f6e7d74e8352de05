"""The MMD flow: particles descend half the squared maximum mean discrepancy to a reference measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from particlegvi import kernels, priors
from particlegvi.contracts import Array, Distribution, Flow, Kernel, Objective, Prior, Term
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.noise import normals
from particlegvi.engine.pairs.repulsion import Repulsion
from particlegvi.engine.terms.evaluate import gradients
from particlegvi.methods.flow import DriftFlow, ParticleProblem, check_explicit
from particlegvi.methods.free_energy import FreeEnergy
from particlegvi.methods.method import Method
from particlegvi.methods.repulsion import kernel_facts, kernel_of
from particlegvi.priors.weighted_points import WeightedPoints
from particlegvi.tools import arguments
from particlegvi.tools.calls import explains_bad_calls, shares_parameters

MOST_SAMPLES = 1_000_000


@shares_parameters(FreeEnergy)
@explains_bad_calls
@dataclass(frozen=True, eq=False)
class MMDFlow(Method):
    """Wasserstein gradient flow of MMD^2(Q, P*) / 2 (Arbel, Korba, Salim and Gretton 2019, section 2.2).

        theta_i <- theta_i - step_size * ( 1/N sum_j grad_1 kappa(theta_i, theta_j) - grad mu(theta_i) )

    with mu the kernel mean embedding of the reference P*. The loss enters through P* alone. DRE with a loss of zero and
    mmd_weight 1/2 is the flow to the prior.

    Parameters
    ----------
    reference : None, array (draws, dim) or prior
        P*. None is the Gibbs measure exp(-loss/kl_weight) p, by prior draws with weights exp(-loss/kl_weight): the
        result has the number of equally weighted draws that they are worth. An array holds draws of equal weight, such
        as quantiles of a target; a prior enters with its mean embedding.
    kl_weight : float
        Temperature of the Gibbs measure, more than 0; ignored where a reference is given.
    samples : int
        How many draws stand for the reference.
    noise : float
        Noise injection (section 4.2 there): the gradient of particle i is taken at theta_i + noise * U_i with a fresh
        standard normal U_i in every step; 0 is the flow itself.
    """

    reference: Prior | Array | None = None
    kl_weight: float = 1.0
    kernel: Kernel | None = None
    samples: int = 1000
    noise: float = 0.0
    name: ClassVar[str] = "MMDFlow"
    label: ClassVar[str] = "MMD flow"
    schedules: ClassVar[bool] = True
    follows_loss: ClassVar[bool] = False  # the curvature of the loss does not limit the step size

    def __post_init__(self) -> None:
        object.__setattr__(self, "kl_weight", arguments.positive("kl_weight", self.kl_weight))
        object.__setattr__(self, "noise", arguments.not_negative("noise", self.noise))
        object.__setattr__(self, "kernel", kernel_of(self.kernel))
        object.__setattr__(self, "samples", arguments.whole("samples", self.samples, 1, MOST_SAMPLES))
        if self.reference is not None and not isinstance(self.reference, Distribution):
            allowed = "an array (draws, dim) of finite numbers, or a prior"
            given = arguments.array("reference", self.reference, allowed)
            object.__setattr__(self, "reference", arguments.points("reference", given, least=1).copy())

    @property
    def objective(self) -> Objective:  # type: ignore[override]
        """Over all measures, with DLE's target, where no reference is given; otherwise "reference"."""
        return "measures" if self.reference is None else "reference"

    def embedding(self, problem: ParticleProblem, kernel: Kernel) -> tuple[Term, str]:
        """The mean embedding of the reference as a term, and a phrase on the draws that stand for the reference."""
        if self.reference is None:
            return self._gibbs(problem, kernel)
        dim, reference = problem.start.shape[1], self.reference
        own_dim = reference.dim if isinstance(reference, Distribution) else reference.shape[1]
        if own_dim != dim:
            raise ValueError(f"reference must be of dimension {dim}, as the loss is, not {own_dim}")
        if isinstance(reference, Distribution):
            known = priors.embedding(reference, kernel, samples=self.samples, seed=problem.seed)
            return known.term, f"the {reference.name} prior: {known.description}"
        number = len(reference)
        return WeightedPoints(reference, np.full(number, 1.0 / number), kernel), f"{number} draws of equal weight"

    def _gibbs(self, problem: ParticleProblem, kernel: Kernel) -> tuple[Term, str]:
        if isinstance(problem.prior, priors.Flat):
            raise ValueError("reference must be given under a flat prior, which has no draws to weigh for the MMD flow")
        at = problem.prior.sample(self.samples, seed=problem.seed, role="prior")
        level = -np.asarray(problem.loss.value(at)) / self.kl_weight
        weights = np.exp(level - level.max())
        weights /= weights.sum()
        worth = 1.0 / float(weights @ weights)
        words = f"the Gibbs measure by {self.samples} weighted prior draws, worth {worth:.0f} of equal weight"
        return WeightedPoints(np.ascontiguousarray(at), weights, kernel), words

    def check_integrator(self, name: str) -> None:
        check_explicit(self.label, name)

    def flow(self, problem: ParticleProblem) -> Flow:
        kernel, rule = kernels.resolve(self.kernel, problem.prior, problem.start, problem.seed)
        target, words = self.embedding(problem, kernel)
        particles, dim = problem.start.shape
        repulsion = Repulsion(kernel, dim, problem.tolerance)

        def drift(x: Array, step: int) -> Array:
            if self.noise == 0.0:
                force = np.zeros_like(x)
                repulsion.force(x, 1.0, force)
                return force - slopes(target, x)
            shaken = x + self.noise * normals(problem.seed, "noise", particles, dim, step)
            among = WeightedPoints(x, np.full(particles, 1.0 / particles), kernel)
            return slopes(among, shaken) - slopes(target, shaken)

        return DriftFlow(problem, self.label, drift, kernel_facts(kernel, rule) | {"embedding": words})


def slopes(term: Term, points: Array) -> Array:
    """Gradients of a term at points (n, dim), by threads."""
    out = np.empty_like(points)

    def part(first: int, last: int) -> None:
        out[first:last] = gradients(term, points[first:last])

    threads.split(part, len(points), 64, least=256)
    return out
