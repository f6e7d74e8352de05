"""DE, DLE, DRE and DRLE: settings of one free energy (thesis 5.6 and 5.7, weights as in 5.4.3).

    L(Q) = E_Q[loss] + mmd_weight MMD^2(Q, P) + kl_weight KL(Q, P)

whose Wasserstein gradient flow moves particles by grad V + lambda1/N sum_j grad_1 kappa with
V = loss - lambda1 mu_P - kl_weight log p and lambda1 = 2 mmd_weight. The thesis calls kl_weight lambda2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Protocol, TypeAlias, runtime_checkable

import numpy as np

from particlegvi import integrators
from particlegvi.contracts import Array, Facts, Flow, Kernel
from particlegvi.engine.jumps.ensemble import EnsembleJumps
from particlegvi.engine.steps.driver import CompiledDriver, OnTheLine
from particlegvi.engine.steps.flow import advance
from particlegvi.engine.terms import evaluate
from particlegvi.engine.terms.evaluate import potential_of
from particlegvi.integrators import Integrator, StepCoefficients
from particlegvi.integrators.driving import PythonDriver
from particlegvi.integrators.schemes import CoefficientSource, linear_part
from particlegvi.kernels.on_outputs import OnFeatures
from particlegvi.methods import jumps
from particlegvi.methods.flow import Jumping, ParticleProblem, SteppedFlow
from particlegvi.methods.method import Method
from particlegvi.methods.repulsion import Interaction, embedding_options, kernel_of, repulsion_of
from particlegvi.tools import arguments
from particlegvi.tools.calls import explains_bad_calls, shares_parameters

Rules: TypeAlias = "dict[str, Callable[[Integrator], bool]]"
Choice: TypeAlias = "str | Mapping[str, Any]"  # the name of a way, or a mapping with it and its options
JumpsLike: TypeAlias = "jumps.Jumps | Mapping[str, Any] | bool | None"  # settings of jumps, as they may be written


@explains_bad_calls
@dataclass(frozen=True)
class FreeEnergy(Method):
    """The free energy with all its settings; DE, DLE, DRE and DRLE fix some of them.

    Parameters
    ----------
    kl_weight : float
        Weight of KL(Q, P), 0 or more: the temperature of the noise; 1 with loss = -log p(y | theta) is Bayes' law.
    mmd_weight : float
        Weight of MMD^2(Q, P), 0 or more; a pair repels with 2 mmd_weight / particles.
    kernel : kernel, optional
        Kernel of the MMD, such as `particlegvi.kernels.SquaredExponential`. None takes the squared exponential with the
        median heuristic on the prior, or lengthscale 1 where the prior gives that nothing sensible.
    embedding : str or dict
        How the attraction to the prior, mu_P, is computed: "auto", "closed-form", "quadrature", "monte-carlo", or a
        mapping with ``how`` and ``samples``.
    jumps : Jumps, bool or mapping, optional
        Metropolis jumps between modes, which leave the law unchanged (`particlegvi.jumps.Jumps`); needs a kl_weight
        above 0. None and False have none.
    """

    kl_weight: float = 0.0
    mmd_weight: float = 0.0
    kernel: Kernel | None = None
    embedding: Choice = "auto"
    jumps: JumpsLike = None
    label: ClassVar[str] = "free energy"
    schedules: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for key, weight in (("kl_weight", self.kl_weight), ("mmd_weight", self.mmd_weight)):
            object.__setattr__(self, key, arguments.not_negative(key, weight))
        object.__setattr__(self, "kernel", kernel_of(self.kernel))
        embedding_options(self.embedding)
        if self.jumps is not None:
            object.__setattr__(self, "jumps", jumps.jumps_of(self.jumps, self))
        if isinstance(self.kernel, OnFeatures) and self.jumps is not None:
            raise ValueError(f"jumps must be left out for {self.label} with a kernel of features")

    @property
    def lambda1(self) -> float:
        """Weight of the interaction, 2 mmd_weight."""
        return 2.0 * self.mmd_weight

    @property
    def has_noise(self) -> bool:
        """Whether there is Langevin noise: where kl_weight is above 0."""
        return self.kl_weight > 0.0

    def check_integrator(self, name: str) -> None:
        if self.kl_weight > 0.0:
            rules: Rules = {"has noise, as kl_weight is not 0": lambda scheme: scheme.noise != "none"}
        else:
            rules = {"has no noise, as kl_weight is 0": lambda scheme: scheme.noise != "needed"}
        if self.mmd_weight > 0.0:
            rules["has a repulsion"] = lambda scheme: not scheme.accepts
        if self.jumps is not None:
            why = "has jumps, and a particle of this integrator carries half of its next noise"
            rules[why] = lambda scheme: not integrators.carries_noise(scheme)
        integrators.check_fits(name, self.label, rules)

    def flow(self, problem: ParticleProblem) -> Flow:
        flow = FreeEnergyFlow(self, problem)
        return flow.jumping(self, problem, self.jumps) if isinstance(self.jumps, jumps.Jumps) else flow


@runtime_checkable
class HasOwnSteps(Protocol):
    """An optional part of a loss: a driver of its own for some integrators; None for those that have to call it."""

    def driver(self, integrator: Integrator, /) -> type[CompiledDriver] | None: ...


class FreeEnergyFlow(SteppedFlow):
    """The flow of a :class:`FreeEnergy`.

    Its steps are compiled where the integrator is plain, or has a compiled form and the particles meet a loss with a
    term and not each other; all others are taken from Python.
    """

    def __init__(self, method: FreeEnergy, problem: ParticleProblem):
        prior, loss = problem.prior, problem.loss
        self._facts: Facts = {"integrator": problem.integrator}
        self._interaction = repulsion_of(method, problem)
        self._facts |= self._interaction.facts or {}
        integrator = integrators.get(problem.integrator)
        coefficients: Callable[..., StepCoefficients] = integrator
        if problem.friction is not None:
            coefficients = partial(integrator, friction=problem.friction)
            self._facts["friction"] = problem.friction
        stiffness = linear_part(method.kl_weight, prior, prior.dim)
        coefficients_at = CoefficientSource(coefficients, problem.step_size, method.kl_weight, stiffness)
        repulsion = self._interaction.repulsion
        alone = repulsion is None and loss.term is not None
        steps: CompiledDriver | PythonDriver
        if integrator.step is None or (alone and integrator.compiled is not None):
            own = loss.driver(integrator) if isinstance(loss, HasOwnSteps) else None
            steps = (own or CompiledDriver)(
                potential_of(loss.term, prior.term(), self._interaction.embedding, method.kl_weight, method.lambda1),
                coefficients_at,
                (np.array(prior.low, dtype=np.float64), np.array(prior.high, dtype=np.float64)),
                problem.seed,
                repulsion=repulsion,
                outside=loss if loss.term is None else None,
                scheme=integrator.compiled or advance,
            )
        else:
            drift, potential = drift_of(method, problem, self._interaction, whole=integrator.accepts)
            noise = method.kl_weight, problem.seed
            steps = PythonDriver(integrator, coefficients_at, prior, drift, potential, noise)
        super().__init__(problem, integrator, steps, None if repulsion is None else repulsion.used)
        self._kept_facts = integrator.facts

    def jumping(self, method: FreeEnergy, problem: ParticleProblem, settings: jumps.Jumps) -> Jumping:
        """This flow with jumps."""
        jumps_of_all = EnsembleJumps(
            problem.loss,
            problem.prior,
            self._interaction.embedding,
            self._interaction.kernel,
            kl_weight=method.kl_weight,
            lambda1=method.lambda1,
            share=settings.share,
            tolerance=problem.tolerance,
            seed=problem.seed,
            particles=len(self.state),
        )
        return Jumping(self, jumps_of_all, settings.every)

    def facts(self) -> Facts:
        repulsion = {} if self._interaction.repulsion is None else self._interaction.repulsion.facts()
        kept = {} if self._kept_facts is None else self._kept_facts(self.state[:, self._dim :])
        return self._facts | repulsion | kept


def drift_of(
    method: FreeEnergy, problem: ParticleProblem, interaction: Interaction, whole: bool
) -> tuple[Callable[[Array, int], Array], Callable[[Array], Array]]:
    """The drift at points (n, dim) in a step, and the potential V (n,) of a single particle, computed from Python.

    They are grad V + lambda1 / n sum_j grad_1 kappa(x_i, x_j) and V = loss - kl_weight log p - lambda1 mu_P, the loss
    perhaps by minibatches; with ``whole`` by all rows.
    """
    loss, prior_term, seed = problem.loss, problem.prior.term(), problem.seed
    weight, lambda1, repulsion, embedding = method.kl_weight, method.lambda1, *interaction[:2]
    if repulsion is not None and isinstance(embedding, OnTheLine):
        repulsion.take_in(embedding.gaussian_on_the_line())

    def drift(x: Array, step: int) -> Array:
        if loss.term is not None:
            total = evaluate.gradients(loss.term, x)
        else:
            total = np.array(loss.gradient(x) if whole else loss.gradient_at(x, step, seed), dtype=np.float64)
        if weight > 0.0:
            total += weight * evaluate.gradients(prior_term, x)
        if repulsion is not None:
            force = np.zeros_like(x)
            repulsion.force(x, lambda1, force, step)
            total += force
        if embedding is not None and repulsion is not None and not repulsion.attracts:
            total -= lambda1 * evaluate.gradients(embedding, x)
        return total

    def potential(x: Array) -> Array:
        return np.asarray(loss.value(x)) + weight * evaluate.values(prior_term, x)

    return drift, potential


@explains_bad_calls
@dataclass(frozen=True)
class DE(FreeEnergy):
    """Deep ensemble: L(Q) = E_Q[loss] (thesis 5.4.1). Every particle follows the gradient on its own.

    It has no parameters, no noise and no repulsion. Each particle ends in the minimum of the valley in which it starts,
    so the particles become minima with the probabilities of their valleys under the start, and not the lowest point.
    """

    name: ClassVar[str] = "DE"
    label: ClassVar[str] = "DE"

    def __init__(self) -> None:
        super().__init__()


@shares_parameters()
@explains_bad_calls
@dataclass(frozen=True)
class DLE(FreeEnergy):
    """Deep Langevin ensemble: L(Q) = E_Q[loss] + kl_weight KL(Q, P) (thesis 5.4.2).

    The particles become independent draws from exp(-loss/kl_weight) p, normalised.
    """

    name: ClassVar[str] = "DLE"
    label: ClassVar[str] = "DLE"

    def __init__(self, kl_weight: float = 1.0, jumps: JumpsLike = None) -> None:
        super().__init__(kl_weight=kl_weight, jumps=jumps)


@shares_parameters()
@explains_bad_calls
@dataclass(frozen=True)
class DRE(FreeEnergy):
    """Deep repulsive ensemble: L(Q) = E_Q[loss] + mmd_weight MMD^2(Q, P) (thesis C.6; its C.114 lacks the square).

    Particles without noise that repel each other. They come to rest, and the place depends on the start.
    """

    name: ClassVar[str] = "DRE"
    label: ClassVar[str] = "DRE"

    def __init__(self, mmd_weight: float = 0.5, kernel: Kernel | None = None, embedding: Choice = "auto") -> None:
        super().__init__(mmd_weight=mmd_weight, kernel=kernel, embedding=embedding)


@shares_parameters()
@explains_bad_calls
@dataclass(frozen=True)
class DRLE(FreeEnergy):
    """Deep repulsive Langevin ensemble: E_Q[loss] + mmd_weight MMD^2(Q, P) + kl_weight KL(Q, P) (thesis 5.4.3).

    With many particles they become draws from the fixed point that `particlegvi.target` computes.
    """

    name: ClassVar[str] = "DRLE"
    label: ClassVar[str] = "DRLE"

    def __init__(
        self,
        kl_weight: float = 1.0,
        mmd_weight: float = 0.5,
        kernel: Kernel | None = None,
        embedding: Choice = "auto",
        jumps: JumpsLike = None,
    ) -> None:
        super().__init__(kl_weight, mmd_weight, kernel, embedding, jumps)
