"""The driver of the compiled step: one object that moves an ensemble by any number of steps, with the right kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from particlegvi.engine import threads
from particlegvi.engine.algorithms import Series
from particlegvi.engine.coupled import advance_coupled
from particlegvi.engine.flow import LANES, Switches, advance, first_bad_particle
from particlegvi.engine.noise import key_words
from particlegvi.engine.repulsion import Repulsion
from particlegvi.engine.terms import Constant

COUPLED_UP_TO = 8192  # particles; beyond, a step is long enough for threads and for calls from Python


class Ensemble:
    """Moves particles along the free-energy flow.

    Parameters
    ----------
    loss, prior, embedding : term
        The loss, minus the log prior density, and the mean embedding mu_P. A loss in plain numpy has ``loss=None`` and
        gives ``gradient`` instead, called with all particles once a step.
    kl_weight, lambda1 : float
        Weights; a term with weight 0 is skipped.
    stepping : tuple of five arrays (dim,)
        gain, noise_now, noise_next, low, high.
    seed : int
    repulsion : Repulsion or None
        Needed when lambda1 is not 0.
    """

    def __init__(
        self,
        loss: Any,
        prior: Any,
        embedding: Any,
        kl_weight: float,
        lambda1: float,
        stepping: tuple[np.ndarray, ...],
        seed: int,
        repulsion: Repulsion | None = None,
        gradient: Callable[[np.ndarray], np.ndarray] | None = None,
    ):
        self.gradient = gradient
        self.repulsion = repulsion if lambda1 != 0.0 else None
        self.lambda1 = float(lambda1)
        loss_term = Constant(0.0) if loss is None else loss
        prior_term = prior  # also where its weight is 0, so that DE runs the code compiled for DLE
        embedding_term = embedding if lambda1 != 0.0 else Constant(0.0)
        self.terms = (loss_term, prior_term, embedding_term, np.array([float(kl_weight), self.lambda1]))
        self.stepping = stepping
        _, noise_now, noise_next, low, high = stepping
        self.switches = Switches(
            prior=kl_weight != 0.0,
            embedding=lambda1 != 0.0,
            noise=bool(np.any(noise_now > 0.0)),
            two_noises=bool(np.any(noise_next > 0.0)),
            walls=bool(np.all(np.isfinite(low)) and np.all(np.isfinite(high))),
        )
        self._no_force = np.empty((0, low.size))
        self.seed = key_words(seed)
        self._advance = advance.for_terms(loss_term, prior_term, embedding_term)
        self._advance_coupled = advance_coupled.for_terms(loss_term, prior_term, embedding_term)
        self._noises: np.ndarray | None = None
        self._held = np.array([-1])

    def advance(self, positions: np.ndarray, first_step: int, steps: int) -> None:
        """Move ``positions`` (particles, dim), C-contiguous float64, in place. How steps are grouped changes no bit."""
        if self.repulsion is None and self.gradient is None:
            self._independent(positions, self._no_force, first_step, steps)
            return
        end = first_step + steps
        step = first_step
        while step < end:
            if self._fits_coupled(positions):
                step += self._coupled(positions, step, end - step)
            if step < end:
                self._independent(positions, self._force(positions), step, 1)
                step += 1

    def _independent(self, positions: np.ndarray, force: np.ndarray, first_step: int, steps: int) -> None:
        switches = self.switches._replace(force=force.shape[0] > 0).array()

        def part(first: int, last: int) -> None:
            how = (force, self.stepping, self.seed, first_step, steps, first, last)
            self._advance(*self.terms, switches, positions, *how)

        threads.split(part, positions.shape[0], LANES, least=1024)

    def _fits_coupled(self, positions: np.ndarray) -> bool:
        repulsion = self.repulsion
        return (
            self.gradient is None
            and repulsion is not None
            and repulsion.plan is not None
            and positions.shape[0] <= COUPLED_UP_TO
        )

    def _coupled(self, positions: np.ndarray, first_step: int, steps: int) -> int:
        assert self.repulsion is not None
        number = positions.shape[0]
        if self._noises is None or self._noises.shape[1] < number:
            self._noises = np.zeros((3, -(-number // LANES) * LANES))
            self._held[0] = -1
        done = self._advance_coupled(
            *self.terms, self.switches.array(), self.repulsion.plan, positions, self.stepping, self.seed, first_step,
            steps, self._noises, self._held,
        )
        if done:
            self.repulsion.note(Series.name, done)
        return done

    def _force(self, positions: np.ndarray) -> np.ndarray:
        force = np.zeros_like(positions)
        if self.repulsion is not None:
            self.repulsion.force(positions, self.lambda1, force)
        if self.gradient is not None:
            force += self.gradient(positions)
        return force

    def first_bad(self, positions: np.ndarray) -> int:
        """Index of the first particle that is not finite, or -1."""
        return int(first_bad_particle(positions))
