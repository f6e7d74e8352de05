"""The driver of the compiled step: one object that moves an ensemble by any number of steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from particlegvi.contracts import Array, Loss, Term
from particlegvi.engine.numerics import threads
from particlegvi.engine.numerics.compiled import EntryPoint
from particlegvi.engine.numerics.noise import key_words
from particlegvi.engine.pairs.fourier import Series, within_reach
from particlegvi.engine.pairs.repulsion import Repulsion
from particlegvi.engine.pairs.sorted_scan import Scan
from particlegvi.engine.steps.ahead import NoiseAhead
from particlegvi.engine.steps.coupled import advance_coupled, advance_scanned
from particlegvi.engine.steps.flow import LANES, Switches, advance
from particlegvi.engine.terms.constant import ConstantTerm

WORTH = 131_072  # coordinates of particles times steps that are worth waking a thread for, in long chunks
KEPT_UP_TO = 2**20  # normals that wait from one call to the next
COUPLED_UP_TO = 8192  # particles; beyond, a step is long enough for threads and for calls from Python


@runtime_checkable
class OnTheLine(Protocol):
    """An optional part of the term of a mean embedding: it may be a single Gaussian on the line."""

    def gaussian_on_the_line(self) -> tuple[float, float, float] | None: ...  # mean, width and height; None if not


@runtime_checkable
class Driven(Protocol):
    """An optional part of a loss: a driver of its own for some schemes; None for those that have to call it."""

    def driver(self, scheme: str, /) -> type[Ensemble] | None: ...


def enough(steps: int, dim: int) -> int:
    """Least number of particles per thread that repays waking it for this many steps (on the line 128 to 1024)."""
    return max(128 // dim, 1, min(1024, WORTH // (steps * dim)))


class Ensemble:
    """Moves particles along the free-energy flow by the plain scheme; the other schemes are subclasses.

    The terms are those of the loss, of minus the log prior density and of the mean embedding mu_P; with weight 0 one is
    skipped. A loss in plain numpy, ``outside``, has no term: its ``gradient_at(particles, step, seed)`` is called once
    a step with all particles, by Heun's scheme twice with the same step. ``steppings(step, most)`` gives gain,
    noise_now and noise_next, each (rows, dim), for steps from ``step`` on, and for how many steps, at most ``most``,
    they are; one row is for all of them. The walls are at the lower and the upper positions (dim,), infinite where
    there are none.
    """

    entry_point: ClassVar[EntryPoint] = advance  # the compiled loop of the scheme
    coupled: ClassVar[bool] = True  # whether there is a compiled loop for repulsive flows on the line
    columns: ClassVar[int] = 0  # numbers of a particle in the state, besides its coordinates
    velocities: ClassVar[bool] = False  # whether the state has a velocity for every coordinate behind them
    walled: ClassVar[bool] = False  # whether the compiled loop has to be given walls also where there are none

    def __init__(
        self,
        loss: Term | None,
        prior: Term,
        embedding: Term | None,
        steppings: Callable[[int, int], tuple[tuple[Array, ...], int]],
        *,
        kl_weight: float,
        lambda1: float,
        walls: tuple[Array, Array],
        seed: int,
        repulsion: Repulsion | None = None,
        outside: Loss | None = None,
    ):
        low, high = walls
        self.outside = outside
        self.repulsion = repulsion if lambda1 != 0.0 else None
        self.lambda1 = float(lambda1)
        loss_term = ConstantTerm(0.0) if loss is None else loss
        prior_term = prior  # also where its weight is 0, so that DE runs the code compiled for DLE
        embedding_term = embedding if embedding is not None and lambda1 != 0.0 else ConstantTerm(0.0)
        self.terms = (loss_term, prior_term, embedding_term, np.array([float(kl_weight), self.lambda1]))
        self.steppings = steppings
        self.low, self.high = low, high
        (_, noise_now, noise_next), _ = steppings(0, 1)
        self.switches = Switches(
            prior=kl_weight != 0.0,
            embedding=lambda1 != 0.0,
            noise=bool(np.any(noise_now > 0.0)),
            two_noises=bool(np.any(noise_next > 0.0)),
            walls=bool(np.any(np.isfinite(low)) or np.any(np.isfinite(high))),
        )
        self._no_force = np.empty((0, low.size))
        self._keeps = self.switches.noise and not self.switches.two_noises and self.entry_point is advance
        self._kept, self._kept_for = np.empty((0, 0)), -1  # normals that wait for the step of this number
        self.kl_weight, self.seed = float(kl_weight), seed
        self.key = key_words(seed)
        self._entry = self.entry_point.for_terms(loss_term, prior_term, embedding_term)
        self._advance_coupled = advance_coupled.for_terms(loss_term, prior_term, embedding_term)
        self._advance_scanned = advance_scanned.for_terms(loss_term, prior_term, embedding_term)
        self._noise = NoiseAhead(self.key, bool(self.switches.noise), bool(self.switches.two_noises))
        if self.repulsion is not None and self.coupled and isinstance(embedding_term, OnTheLine):
            self.repulsion.take_in(embedding_term.gaussian_on_the_line())

    def advance(self, positions: Array, first_step: int, steps: int) -> None:
        """Move ``positions`` (particles, dim), C-contiguous float64, in place. How steps are grouped changes no bit."""
        step, end = first_step, first_step + steps
        while step < end:
            stepping, count = self._stepping(step, end - step)
            if self.repulsion is None and self.outside is None:
                self._run(positions, self._no_force, stepping, step, count)
            elif self._fits_coupled(positions) and (done := self._coupled(positions, stepping, step, count)):
                count = done
            else:
                self._forced_step(positions, self._stepping(step, 1)[0], step)
                count = 1
            step += count

    def _stepping(self, step: int, most: int) -> tuple[tuple[Array, ...], int]:
        coefficients, count = self.steppings(step, most)
        walls = (self.low, self.high) if self.switches.walls or self.walled else (None, None)
        return (*coefficients, *walls), count

    def _run(self, positions: Array, force: Array, stepping: tuple[Array, ...], first_step: int, steps: int) -> None:
        """Steps without leaving compiled code; with a force only one."""
        forced = force.shape[0] > 0
        attracted = forced and self.repulsion is not None and self.repulsion.attracts
        embedding = bool(self.switches.embedding and not attracted)
        switches = self.switches._replace(force=forced, embedding=embedding)
        kept = np.empty((0, 0))
        if forced and self._keeps and force.size <= KEPT_UP_TO:
            # normals are drawn for two steps at once: those of the odd one wait for its call
            if self._kept.size != force.size:
                self._kept = np.empty(force.shape[::-1])
            kept, switches = self._kept, switches._replace(kept=first_step % 2 == 1 and self._kept_for == first_step)
            self._kept_for = first_step + 1
        least = enough(steps, self.low.size)
        self._split(switches, positions, ((force, kept), stepping), first_step, steps, least=least)

    def _split(
        self, switches: Switches, positions: Array, how: tuple[Any, ...], first_step: int, steps: int, *, least: int
    ) -> None:
        """Call the compiled loop, in parts of at least ``least`` particles; ``how`` ends with the stepping."""
        array = switches.array()

        def part(first: int, last: int) -> None:
            self._entry(*self.terms, array, positions, *how, self.key, first_step, steps, first, last)

        threads.split(part, positions.shape[0], LANES, least=least)

    def _forced_step(self, positions: Array, stepping: tuple[Array, ...], step: int) -> None:
        """One step under a force that compiled code does not compute."""
        self._run(positions, self._force(positions, step), stepping, step, 1)

    def _fits_coupled(self, positions: Array) -> bool:
        alone = self.outside is not None or self.repulsion is None
        return self.coupled and not alone and positions.shape[0] <= COUPLED_UP_TO

    def _coupled(self, positions: Array, stepping: tuple[Array, ...], first_step: int, steps: int) -> int:
        """Steps without leaving compiled code, as many as can be; returns their number."""
        assert self.repulsion is not None
        slope = self.repulsion.scanned(len(positions))
        if slope is not None:
            switches, kept = self.switches._replace(force=True).array(), (1, len(positions)) if self._keeps else (0, 0)
            order = np.argsort(positions[:, 0], kind="stable")
            how = slope, positions, order, np.empty(kept), stepping, self.key, first_step, steps
            self._advance_scanned(*self.terms, switches, *how)
            self.repulsion.note(Scan.name, steps)
            return steps
        done, plan, switches = 0, self.repulsion.plan, self.switches.array()
        if plan is None or not within_reach(plan, positions):
            return done
        for step, count, normals in self._noise.pieces(positions.shape[0], first_step, steps):
            taken = self._advance_coupled(
                *self.terms, switches, plan, positions, _from(stepping, done), normals, step, count
            )
            done += taken
            if taken < count:
                break
        if done:
            self.repulsion.note(Series.name, done)
        return done

    def _force(self, positions: Array, step: int) -> Array:
        force = np.zeros_like(positions)
        if self.repulsion is not None:
            self.repulsion.force(positions, self.lambda1, force, step)
        if self.outside is not None:
            force += self.outside.gradient_at(positions, step, self.seed)
        return force

    def facts(self, state: Array) -> dict[str, Any]:
        """Facts of the scheme for the result, from the final state."""
        return {}


def _from(stepping: tuple[Array, ...], step: int) -> tuple[Array, ...]:
    """Coefficients of the steps from ``step`` on (a single row serves all steps)."""
    *coefficients, low, high = stepping
    return (*(c[step:] if c.shape[0] > 1 else c for c in coefficients), low, high)
