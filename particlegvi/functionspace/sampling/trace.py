"""Run of a plan with records of the energy, and a test for the stationary distribution."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.functionspace.sampling.plans import Plan
from particlegvi.simulation.journal import Journal
from particlegvi.tools.errors import Diverged

PART = "sampling"  # name of this part of a fit
SHOWN = 44  # calls of ``watch`` at most: from one to the next the number of steps grows by a fifth in 2000 steps
RECORDS = 16  # records of the energies in a run, the end included
TOLERANCE = 0.05  # a drift below this part of the expected excess energy is ignored
STANDARD_ERRORS = 4.0
INSIDE = 0.9  # share of particles below the expected excess energy plus six standard deviations


Watch: TypeAlias = Callable[[int, Array], None]


class TraceDrift(NamedTuple):
    """The change of the mean energy over the second half of a run, and its standard error."""

    change: float
    standard_error: float
    matters: bool


class Trace:
    """Runs a plan and records V of the particles at some steps, in ``energies``, a list of arrays (particles,).

    ``energy`` is V of coefficients (particles, dim). ``signed`` (rows, dim) holds the features, in the plan's
    coordinates, of the rows whose signs are recorded. Steps that an interrupted fit has taken, by its journal, are
    skipped. The run calls ``progress(steps_done, steps)``, and ``watch(steps_done, coefficients)`` at the start, after
    each of the first steps, and then at intervals that grow with the step: a diffusion moves by their root.
    """

    def __init__(
        self,
        plan: Plan,
        energy: Callable[[Array], Array],
        signed: Array | None,
        journal: Journal,
        progress: Callable[[int, int], None] | None,
        *,
        watch: Watch | None = None,
    ) -> None:
        self.plan = plan
        self.energy = energy
        self.signed = signed
        self.journal = journal
        self.progress = progress
        self.watch = watch
        self.steps = 0
        self.energies: list[Array] = []
        self.signs: list[Array] = []
        stored = journal.interrupted(PART)
        self._taken = 0 if stored is None else stored["step"]  # steps of the flow; the records are behind them
        journal.take_up(PART, plan.flow)

    def run(self, steps: int) -> None:
        flow, end = self.plan.flow, self.steps + steps
        growing = np.geomspace(1.0, end, SHOWN) if end > SHOWN else np.arange(1, end + 1)
        shown = {0, *np.rint(growing).astype(np.int64).tolist()}
        if self.steps == 0:
            self._show(0)

        def hear(step: int) -> None:
            if self.progress is not None:
                self.progress(step, end)

        for record in np.unique(np.linspace(self.steps, end, RECORDS + 1).astype(np.int64)[1:]).tolist():
            if record == self.steps:
                continue
            between = sorted(step for step in shown if self.steps < step < record and self.watch is not None)
            for stop in (*between, record):
                with np.errstate(over="ignore", invalid="ignore"):
                    self.journal.advance(PART, flow, self._taken, stop, before=self.plan.steps_before, hear=hear)
                self._taken = max(stop, self._taken)
                if stop in shown:
                    self._show(stop)
            self.steps = record
            energies, *signs = self.journal.once(f"record_{record}", self._look)
            self.energies.append(energies)
            self.signs.extend(signs)

    def _show(self, step: int) -> None:
        if self.watch is not None:
            self.watch(step, self.plan.coordinates.coefficients(self.plan.flow.state).copy())

    def _look(self) -> tuple[Array, ...]:
        self._check()
        state = self.plan.flow.state
        energies = self.energy(self.plan.coordinates.coefficients(state))
        return (energies,) if self.signed is None else (energies, (state @ self.signed.T > 0.0).astype(np.float64))

    def _check(self) -> None:
        bad = np.flatnonzero(~np.isfinite(self.plan.flow.state).all(axis=1))
        if bad.size:
            raise Diverged(
                f"by step {self.steps} particle {bad[0]} had become non-finite;"
                f" try a smaller step_size than {self.plan.step_size:g}",
                self.steps,
                int(bad[0]),
            )

    def drift(self) -> TraceDrift:
        """Change of the mean energy over the second half, paired by particle."""
        change = self.energies[-1] - self.energies[max(len(self.energies) // 2 - 1, 0)]
        mean, error = float(change.mean()), float(change.std() / np.sqrt(len(change)))
        expected = 0.5 * self.plan.flow.state.shape[1]
        return TraceDrift(mean, error, abs(mean) > max(STANDARD_ERRORS * error, TOLERANCE * expected))

    def frozen(self) -> float | None:
        """The share of particles without a change of sign over the second half; None if signs are not recorded."""
        if not self.signs:
            return None
        later = self.signs[max(len(self.signs) // 2 - 1, 0) :]
        return float(np.logical_and.reduce([np.all(signs == later[-1], axis=1) for signs in later]).mean())

    def verdict(self, lowest: float) -> Facts:
        """Test whether the particles have reached the stationary distribution; ``lowest`` is the smallest V found.

        The facts are ``excess_energy`` (mean of V minus ``lowest``), ``expected_excess`` (half the number of
        coefficients: its value for a Gaussian posterior), ``energy_drift`` and ``drift_standard_error``, ``inside``
        (the share of particles below the expected excess plus six standard deviations), ``frozen_signs``, ``reached``,
        and ``because`` if it is false.
        """
        last, drift, frozen = self.energies[-1], self.drift(), self.frozen()
        expected = 0.5 * self.plan.flow.state.shape[1]
        inside = float(np.mean(last <= lowest + expected + 6.0 * np.sqrt(expected)))
        doubts = []
        if drift.matters:
            doubts.append("the mean energy still drifts")
        if len(self.energies) == 1:
            doubts.append("one step shows nothing")
        if frozen is not None and frozen > 0.5:
            doubts.append("the signs are those of the start")
        # Without moves between modes the energies belong to one mode.
        if inside < INSIDE and self.plan.name != "mixing":
            doubts.append("particles are far above the lowest energy")
        return {
            "reached": not doubts,
            **({"because": "; ".join(doubts)} if doubts else {}),
            "excess_energy": float(last.mean()) - lowest,
            "expected_excess": expected,
            "energy_drift": drift.change,
            "drift_standard_error": drift.standard_error,
            "inside": inside,
            "frozen_signs": frozen,
        }
