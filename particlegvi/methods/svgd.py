"""Stein variational gradient descent: DLE's objective, descended without noise by interacting particles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from particlegvi import kernels
from particlegvi.contracts import Array, Flow, Kernel
from particlegvi.engine.pairs.stein import stein_sum
from particlegvi.engine.terms.evaluate import gradients
from particlegvi.kernels.bandwidth import authors_lengthscale, with_lengthscale
from particlegvi.methods.flow import DriftFlow, ParticleProblem, check_explicit
from particlegvi.methods.method import Method
from particlegvi.methods.repulsion import kernel_facts, kernel_of
from particlegvi.tools import arguments
from particlegvi.tools.calls import explains_bad_calls
from particlegvi.tools.registry import one_of

BANDWIDTHS = ("start", "every-step")


@explains_bad_calls
@dataclass(frozen=True)
class SVGD(Method):
    """Stein variational gradient descent (Liu and Wang 2016, (8)) towards DLE's target exp(-loss/kl_weight) p.

    The update of particle i, with the score s = -grad loss / kl_weight + grad log p of the target, is

        theta_i <- theta_i + step_size * kl_weight / N sum_j ( kappa(theta_j, theta_i) s(theta_j)
                                                               + grad_{theta_j} kappa(theta_j, theta_i) )

    The factor kl_weight, which Liu and Wang do not have, makes the unit of time the same as for DLE: both then descend
    E_Q[loss] + kl_weight KL(Q, P), and a single particle, with a kernel that is 1 at distance 0, follows DLE's drift.

    Parameters
    ----------
    kl_weight : float
        Weight of KL(Q, P), more than 0.
    kernel : kernel, optional
        None takes the squared exponential with the median heuristic on the prior, or lengthscale 1 where
        the prior gives that nothing sensible. A lengthscale that a rule chooses is chosen once, at the start, unless
        ``bandwidth`` is "every-step".
    bandwidth : str
        "start", or "every-step": the lengthscale is chosen anew in every step, with lengthscale^2 the median squared
        distance of the particles / (2 log(N + 1)), the rule of Liu and Wang (`kernels.bandwidth.authors_lengthscale`).
        That is another flow, which descends no fixed distance. Of ``kernel`` only the form and the variance count.
    """

    kl_weight: float = 1.0
    kernel: Kernel | None = None
    bandwidth: str = BANDWIDTHS[0]
    name: ClassVar[str] = "SVGD"
    label: ClassVar[str] = "SVGD"
    schedules: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "kl_weight", arguments.positive("kl_weight", self.kl_weight))
        object.__setattr__(self, "kernel", kernel_of(self.kernel))
        one_of("bandwidth", self.bandwidth, BANDWIDTHS)

    def check_integrator(self, name: str) -> None:
        check_explicit(self.label, name)

    def flow(self, problem: ParticleProblem) -> Flow:
        kernel, rule = kernels.resolve(self.kernel, problem.prior, problem.start, problem.seed)
        anew = self.bandwidth == "every-step"
        if anew:
            kernel = with_lengthscale(kernel, authors_lengthscale(problem.start)[0])
            rule = f"lengthscale {kernel.lengthscale:.6g} at the start, chosen anew from the particles in every step"
        prior_term = problem.prior.term()

        def drift(x: Array, step: int) -> Array:
            # -kl_weight s(x_j), and 1/N sum_j (kappa(x_i, x_j) (-kl_weight s(x_j)) + kl_weight grad_1 kappa(x_i, x_j)):
            # minus the update, since grad_{x_j} kappa(x_j, x_i) = -grad_1 kappa(x_i, x_j)
            minus_score = problem.loss.gradient_at(x, step, problem.seed) + self.kl_weight * gradients(prior_term, x)
            here = with_lengthscale(kernel, authors_lengthscale(x)[0]) if anew else kernel
            return stein_sum(here, x, np.ascontiguousarray(minus_score), self.kl_weight)

        return DriftFlow(problem, self.label, drift, kernel_facts(kernel, rule))
