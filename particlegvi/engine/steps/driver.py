"""The driver of the compiled steps: one object that moves an ensemble by any number of steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from particlegvi.contracts import Array, Loss
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.compiled import EntryPoint
from particlegvi.engine.numerics.noise import key_words
from particlegvi.engine.pairs.fourier import FourierPlan, Series, within_reach
from particlegvi.engine.pairs.repulsion import Repulsion
from particlegvi.engine.pairs.sorted_scan import Scan
from particlegvi.engine.steps.coupled import NoiseAhead, advance_coupled, advance_scanned
from particlegvi.engine.steps.flow import LANES, Switches, advance
from particlegvi.engine.terms.evaluate import Potential
from particlegvi.tools.objects import has_walls

WORTH = 131_072  # coordinates of particles times steps that are worth waking a thread for, in long chunks
KEPT_UP_TO = 2**20  # normals that wait from one call to the next
COUPLED_UP_TO = 8192  # particles; beyond, a step is long enough for threads and for calls from Python


@runtime_checkable
class OnTheLine(Protocol):
    """An optional part of the term of a mean embedding: it may be a single Gaussian on the line."""

    def gaussian_on_the_line(self) -> tuple[float, float, float] | None: ...  # mean, width and height; None if not


def enough(steps: int, dim: int) -> int:
    """Least number of particles per thread that repays waking it for this many steps (on the line 128 to 1024)."""
    return max(128 // dim, 1, min(1024, WORTH // (steps * dim)))


Rows: TypeAlias = "tuple[Any, ...]"  # gain, noise_now, noise_next, low and high, the last two None without walls


class CompiledDriver:
    """Moves particles along the free-energy flow by compiled steps.

    Parameters
    ----------
    potential : Potential
        V; with a weight of 0 a term is skipped.
    coefficients_at : callable
        ``coefficients_at(step, most)`` gives gain, noise_now and noise_next, each (rows, dim), for steps from ``step``
        on, and for how many steps, at most ``most``, they are; one row is for all of them.
    walls : (array, array)
        Their lower and upper positions (dim,), infinite where there are none.
    seed : int
    repulsion : Repulsion, optional
        Of the particles, with the weight lambda1.
    outside : Loss, optional
        A loss in plain numpy, which has no term: its ``gradient_at(particles, step, seed)`` is called once a step with
        all particles.
    scheme : compiled function
        The loop; any but the plain one is for particles that do not repel each other under a loss with a term.
    """

    def __init__(
        self,
        potential: Potential,
        coefficients_at: Callable[[int, int], tuple[tuple[Array, ...], int]],
        walls: tuple[Array, Array],
        seed: int,
        *,
        repulsion: Repulsion | None = None,
        outside: Loss | None = None,
        scheme: EntryPoint = advance,
    ):
        low, high = walls
        self.potential, self.coefficients_at, self.dim = potential, coefficients_at, low.size
        kl_weight, self.lambda1 = potential.weights.tolist()
        (_, noise_now, noise_next), _ = coefficients_at(0, 1)
        self.switches = Switches(
            prior=kl_weight != 0.0,
            embedding=self.lambda1 != 0.0,
            noise=bool(np.any(noise_now > 0.0)),
            two_noises=bool(np.any(noise_next > 0.0)),
            walls=has_walls(low, high),
        )
        self._walls = (low, high) if self.switches.walls else (None, None)
        self.seed, self.key = seed, key_words(seed)
        self.outside, self.repulsion = outside, repulsion if self.lambda1 != 0.0 else None
        self._keeps = bool(self.switches.noise and not self.switches.two_noises)
        self._kept, self._kept_for = np.empty((0, 0)), -1  # normals that wait for the step of this number
        self._scheme = scheme.for_terms(potential)
        self._advance_coupled = advance_coupled.for_terms(potential)
        self._advance_scanned = advance_scanned.for_terms(potential)
        self._noise = NoiseAhead(self.key, bool(self.switches.noise), bool(self.switches.two_noises))
        self._take: Callable[[Array, Rows, int, int], int] = self._step_with_force
        if self.repulsion is None and outside is None:
            self._take = self._step_alone
        elif self.repulsion is not None and outside is None:
            self._take = self._step_repelling
        if self.repulsion is not None and isinstance(potential.embedding, OnTheLine):
            self.repulsion.take_in(potential.embedding.gaussian_on_the_line())

    def advance(self, positions: Array, first_step: int, steps: int) -> None:
        """Move ``positions``, C-contiguous float64, in place. How steps are grouped changes no bit.

        The rows are particles: (particles, dim), or longer where the scheme keeps numbers behind the coordinates.
        """
        step, end = first_step, first_step + steps
        while step < end:
            coefficients, count = self.coefficients_at(step, end - step)
            step += self._take(positions, (*coefficients, *self._walls), step, count)

    def _step_alone(self, positions: Array, stepping: Rows, first_step: int, steps: int) -> int:
        """Steps of particles that do not meet, all in compiled code."""
        no_force = np.empty((0, self.dim)), np.empty((0, 0))
        self._split(self.switches, positions, no_force, stepping, (first_step, first_step + steps))
        return steps

    def _step_with_force(self, positions: Array, stepping: Rows, step: int, _: int = 1) -> int:
        """One step under a force that is computed between steps."""
        force = np.zeros_like(positions)
        if self.repulsion is not None:
            self.repulsion.force(positions, self.lambda1, force, step)
        if self.outside is not None:
            force += self.outside.gradient_at(positions, step, self.seed)
        attracted = self.repulsion is not None and self.repulsion.attracts
        switches = self.switches._replace(force=True, embedding=bool(self.switches.embedding and not attracted))
        kept = np.empty((0, 0))
        if self._keeps and force.size <= KEPT_UP_TO:
            # normals are drawn for two steps at once: those of the odd one wait for its call
            if self._kept.size != force.size:
                self._kept = np.empty(force.shape[::-1])
            kept, switches = self._kept, switches._replace(kept=step % 2 == 1 and self._kept_for == step)
            self._kept_for = step + 1
        self._split(switches, positions, (force, kept), stepping, (step, step + 1))
        return 1

    def _split(
        self, switches: Switches, positions: Array, forces: tuple[Array, Array], stepping: Rows, steps: tuple[int, int]
    ) -> None:
        """Call the compiled loop, in parts of enough particles."""
        array = _array_of(switches)

        def part(first: int, last: int) -> None:
            self._scheme(self.potential, array, positions, forces, stepping, self.key, steps, (first, last))

        threads.split(part, positions.shape[0], LANES, least=enough(steps[1] - steps[0], self.dim))

    def _step_repelling(self, positions: Array, stepping: Rows, first_step: int, steps: int) -> int:
        """Steps of particles that repel each other: without leaving compiled code as many as can be, or one."""
        assert self.repulsion is not None
        done = 0
        if len(positions) <= COUPLED_UP_TO:
            slope, plan = self.repulsion.scanned(len(positions)), self.repulsion.plan
            if slope is not None:
                done = self._step_scanned(slope, positions, stepping, (first_step, first_step + steps))
                self.repulsion.note(Scan.name, done)
            elif plan is not None and within_reach(plan, positions):
                done = self._step_in_series(plan, positions, stepping, first_step, steps)
                if done:
                    self.repulsion.note(Series.name, done)
        return done or self._step_with_force(positions, stepping, first_step)

    def _step_scanned(
        self, slope: tuple[float, float, float], positions: Array, stepping: Rows, steps: tuple[int, int]
    ) -> int:
        """All steps by a sorted scan."""
        switches = _array_of(self.switches._replace(force=True))
        order = np.argsort(positions[:, 0], kind="stable")
        kept = np.empty((1, len(positions)) if self._keeps else (0, 0))
        self._advance_scanned(self.potential, switches, slope, positions, order, kept, stepping, self.key, steps)
        return steps[1] - steps[0]

    def _step_in_series(self, plan: FourierPlan, positions: Array, stepping: Rows, first_step: int, steps: int) -> int:
        """As many steps as the series can take, perhaps none."""
        done, switches = 0, _array_of(self.switches)
        for step, count, normals in self._noise.pieces(positions.shape[0], first_step, steps):
            rows = tuple(rows[done:] if len(rows) > 1 else rows for rows in stepping[:3])  # one row serves all steps
            piece, span = (*rows, *self._walls), (step, step + count)
            taken = self._advance_coupled(self.potential, switches, plan, positions, piece, normals, span)
            done += taken
            if taken < count:
                break
        return done


def _array_of(switches: Switches) -> NDArray[np.int64]:
    """The switches as compiled code reads them."""
    return np.array(switches, dtype=np.int64)
