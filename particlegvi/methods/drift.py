"""The flow of any method that is nothing but a drift: x <- x - step_size * drift(x), all particles at once.

A method of interacting particles without noise of its own needs no more than its drift: see `svgd` and `mmd_flow`,
which are one small file each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from particlegvi.engine.steps.flow import descend
from particlegvi.methods.flow import ParticleFlow, ParticleProblem
from particlegvi.tools.quoting import shown

EXPLICIT = ("euler-maruyama", "leimkuhler-matthews")  # integrators that are explicit Euler where there is no noise

Drift = Callable[[np.ndarray, int], np.ndarray]


def check_explicit(label: str, integrator: str) -> None:
    """Refuse an integrator that is more than explicit Euler where there is no noise."""
    if integrator not in EXPLICIT:
        raise ValueError(
            f"integrator must be {' or '.join(EXPLICIT)}, both explicit Euler without noise, not {shown(integrator)}: "
            f"{label} has neither noise nor a linear part to solve"
        )


class DriftFlow(ParticleFlow):
    """Explicit Euler steps along a drift; its state is the particles.

    Parameters
    ----------
    problem : ParticleProblem
    label : str
        The method's name, for errors.
    drift : callable
        ``drift(positions, step)`` is the drift (particles, dim) at the particles (particles, dim), which it must not
        change, in the step of that number. It may depend on these two and on constants of the run, so that steps can
        be grouped in any way.
    facts : mapping
        Further facts for the result.

    Raises
    ------
    ValueError
        If the problem asks for an integrator that is more than explicit Euler where there is no noise.
    """

    def __init__(self, problem: ParticleProblem, label: str, drift: Drift, facts: Mapping[str, Any]) -> None:
        check_explicit(label, problem.integrator)
        super().__init__(np.array(problem.start, dtype=np.float64, order="C"))
        self._drift = drift
        self._step_size_at = problem.step_size_at
        self._low = np.array(problem.prior.low, dtype=np.float64)
        self._high = np.array(problem.prior.high, dtype=np.float64)
        self._facts = {"integrator": "explicit Euler", **facts}

    def advance(self, first_step: int, steps: int) -> None:
        """Move the particles."""
        for step in range(first_step, first_step + steps):
            descend(self.state, self._drift(self.state, step), self._step_size_at(step), self._low, self._high)

    def facts(self) -> dict[str, Any]:
        """Facts for the result: everything chosen and used."""
        return dict(self._facts)
