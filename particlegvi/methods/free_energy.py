"""DE, DLE, DRE and DRLE: settings of one free energy (thesis 5.6 and 5.7, weights as in 5.4.3).

    L(Q) = E_Q[loss] + mmd_weight MMD^2(Q, P) + kl_weight KL(Q, P)

whose Wasserstein gradient flow moves particles by grad V + lambda1/N sum_j grad_1 kappa with
V = loss - lambda1 mu_P - kl_weight log p and lambda1 = 2 mmd_weight. The thesis calls kl_weight lambda2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeAlias

import numpy as np

from particlegvi import integrators
from particlegvi.contracts import Array, Facts, Flow, Kernel
from particlegvi.engine.jumps.ensemble import EnsembleJumps
from particlegvi.engine.steps.ensemble import Driven, Ensemble
from particlegvi.engine.steps.metropolis import MetropolisEnsemble
from particlegvi.engine.steps.schemes import HeunEnsemble, KineticEnsemble
from particlegvi.integrators.adaptive import RULES
from particlegvi.integrators.stepping import Stepping, Steppings, linear_part
from particlegvi.kernels.on_outputs import OnFeatures
from particlegvi.methods import jumps
from particlegvi.methods.flow import Jumping, ParticleFlow, ParticleProblem, check_adaptive
from particlegvi.methods.method import Method
from particlegvi.methods.noiseless import NoiselessFlow
from particlegvi.methods.repulsion import embedding_options, kernel_of, repulsion_of
from particlegvi.tools import arguments
from particlegvi.tools.calls import explains_bad_calls
from particlegvi.tools.docstrings import shares_parameters

DRIVERS: dict[str, type[Ensemble]] = {  # by scheme, as `particlegvi.integrators.SCHEMES` has them in formulas
    "plain": Ensemble,
    "heun": HeunEnsemble,
    "metropolis": MetropolisEnsemble,
    "kinetic": KineticEnsemble,
}
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
        check_adaptive(self.label, name, self.kl_weight)
        if self.jumps is not None and name == "leimkuhler-matthews":
            others = ", ".join(other for other in integrators.names() if other != name)
            raise ValueError(
                f'integrator must be one of {others}, not "{name}": {self.label} has jumps, and a particle of this'
                " integrator carries half of its next noise"
            )
        if integrators.scheme(name) == "kinetic" and self.kl_weight == 0.0:
            raise ValueError(
                f'integrator must be one without velocities, not "{name}": {self.label} has no noise, as kl_weight is 0'
            )
        if integrators.scheme(name) == "metropolis" and (self.kl_weight == 0.0 or self.mmd_weight > 0.0):
            what = "a repulsion" if self.mmd_weight > 0.0 else "no noise"
            others = ", ".join(other for other in integrators.names() if integrators.scheme(other) != "metropolis")
            raise ValueError(
                f'integrator must be one of {others}, not "{name}": {self.label} has {what}, and it is for DLE, with '
                "kl_weight above 0 and no repulsion"
            )

    def flow(self, problem: ParticleProblem) -> Flow:
        if integrators.scheme(problem.integrator) in RULES:
            return NoiselessFlow(self, problem, self.label)
        flow = FreeEnergyFlow(self, problem)
        settings = jumps.resolved(self.jumps)
        return flow if settings is None else flow.jumping(self, problem, settings)


class FreeEnergyFlow(ParticleFlow):
    """The flow of a :class:`FreeEnergy`: its state is the particles, and the columns that the scheme adds."""

    def __init__(self, method: FreeEnergy, problem: ParticleProblem):
        prior, loss = problem.prior, problem.loss
        dim = problem.start.shape[1]
        self._facts: Facts = {"integrator": problem.integrator}
        repulsion, embedding, kernel, facts = repulsion_of(method, problem)
        self._facts |= facts or {}
        scheme = integrators.scheme(problem.integrator)
        own = loss.driver(scheme) if isinstance(loss, Driven) else None
        driver = DRIVERS[scheme] if own is None else own
        stiffness = linear_part(method.kl_weight, prior, dim)
        integrator: Callable[..., Stepping] = integrators.get(problem.integrator)
        if problem.friction is not None:
            integrator = partial(integrator, friction=problem.friction)
            self._facts["friction"] = problem.friction
        self._ensemble = driver(
            loss.term,
            prior.term(),
            embedding,
            Steppings(integrator, problem.step_size, method.kl_weight, stiffness),
            kl_weight=method.kl_weight,
            lambda1=method.lambda1,
            walls=(np.array(prior.low, dtype=np.float64), np.array(prior.high, dtype=np.float64)),
            seed=problem.seed,
            repulsion=repulsion,
            outside=loss if loss.term is None else None,
        )
        self._dim = dim
        columns = dim + driver.columns + dim * driver.velocities
        super().__init__(np.zeros((problem.start.shape[0], columns)), None if repulsion is None else repulsion.used)
        self.state[:, :dim] = problem.start
        self._repulsion = repulsion
        self._embedding, self._kernel = embedding, kernel

    def jumping(self, method: FreeEnergy, problem: ParticleProblem, settings: jumps.Jumps) -> Jumping:
        """This flow with jumps."""
        found = EnsembleJumps(
            problem.loss,
            problem.prior,
            self._embedding,
            self._kernel,
            kl_weight=method.kl_weight,
            lambda1=method.lambda1,
            share=settings.share,
            tolerance=problem.tolerance,
            seed=problem.seed,
            particles=len(self.state),
        )
        return Jumping(self, found, settings.every)

    def advance(self, first_step: int, steps: int) -> None:
        self._ensemble.advance(self.state, first_step, steps)

    def particles(self) -> Array:
        return np.ascontiguousarray(self.state[:, : self._dim])

    def facts(self) -> Facts:
        repulsion = self._repulsion.facts() if self._repulsion is not None else {}
        return self._facts | repulsion | self._ensemble.facts(self.state)


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

    def __init__(
        self,
        mmd_weight: float = 0.5,
        kernel: Kernel | None = None,
        embedding: Choice = "auto",
    ) -> None:
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
