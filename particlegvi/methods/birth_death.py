"""Langevin dynamics with birth and death: a comparator for jumps, biased by the bandwidth of its kernel density."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from particlegvi.contracts import Flow
from particlegvi.engine.jumps.births import Births
from particlegvi.methods.flow import Jumping, ParticleProblem
from particlegvi.methods.free_energy import FreeEnergy, FreeEnergyFlow
from particlegvi.tools import arguments
from particlegvi.tools.calls import explains_bad_calls

MOST_STEPS = 10**12


@explains_bad_calls
@dataclass(frozen=True)
class BirthDeath(FreeEnergy):
    """The Wasserstein-Fisher-Rao gradient flow of DLE's free energy (Lu, Lu and Nolen 2019).

    With V = loss - kl_weight log p and the first variation F = V + kl_weight log q of the free energy,

        d/dt q = div(q grad F) - rate q (F - E_q[F]).

    The first part is DLE. The second lets particles die where F is above its mean and copies them where it is below,
    with a kernel density of the particles in the place of q. It needs no path over a barrier, but a particle in every
    mode. It does not have the distribution of DLE: the kernel density is wider than q, so that the particles gather in
    the middle of each mode, the more the wider the bandwidth; a narrow bandwidth is noisy. `pg.jumps` has no
    such bias.

    Parameters
    ----------
    kl_weight : float
        Weight of KL(Q, P), above 0.
    bandwidth : float, optional
        Bandwidth of the kernel density, in the units of the parameters. None chooses one for each birth and death by
        likelihood.
    rate : float
        Rate of birth and death against the rate of Langevin dynamics, above 0. The unit of time is DLE's; Lu, Lu and
        Nolen have kl_weight times this unit.
    every : int
        Steps between births and deaths, 1 or more.
    """

    bandwidth: float | None = None
    rate: float = 1.0
    every: int = 10
    name: ClassVar[str] = "BirthDeath"
    label: ClassVar[str] = "birth and death"

    def __init__(
        self, kl_weight: float = 1.0, bandwidth: float | None = None, rate: float = 1.0, every: int = 10
    ) -> None:
        super().__init__(kl_weight=arguments.positive("kl_weight", kl_weight))
        for key, value in (("bandwidth", bandwidth), ("rate", rate)):
            checked = None if key == "bandwidth" and value is None else arguments.positive(key, value)
            object.__setattr__(self, key, checked)
        object.__setattr__(self, "every", arguments.whole("every", every, 1, MOST_STEPS))

    @property
    def has_noise(self) -> bool:
        """Whether each particle is a chain of its own: no, as others are copied over it."""
        return False

    def check_integrator(self, name: str) -> None:
        if name == "leimkuhler-matthews":
            raise ValueError(
                f'integrator must be another than "{name}": {self.label} copies particles, and a particle of this'
                " integrator carries half of its next noise"
            )
        super().check_integrator(name)

    def flow(self, problem: ParticleProblem) -> Flow:

        def duration(number: int) -> float:
            return sum(problem.step_size_at(number * self.every + step) for step in range(self.every))

        births = Births(
            problem.loss,
            problem.prior,
            kl_weight=self.kl_weight,
            rate=self.rate,
            bandwidth=self.bandwidth,
            duration=duration,
            seed=problem.seed,
        )
        return Jumping(FreeEnergyFlow(self, problem), births, self.every)
