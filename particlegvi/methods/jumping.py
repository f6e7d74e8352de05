"""A flow whose particles jump after every so many of its steps."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from particlegvi.contracts import Array, Facts, Flow


class Leaps(Protocol):
    """Moves of particles at once: jumps between modes, or births and deaths.

    ``name`` is the key of its facts, and ``counts`` are kept with the state of the flow.
    """

    name: str
    counts: dict[str, int]

    def jump(self, x: Array, number: int) -> None: ...
    def facts(self) -> Facts: ...


class Jumping:
    """The steps of another flow, and jumps after every ``every``-th step, counted from the start of the run.

    Parameters
    ----------
    flow : Flow
        Its state begins with the coordinates of the particles.
    jumps : Leaps
    every : int
        Steps between jumps.

    Attributes
    ----------
    state : ndarray
        The state of ``flow``. Advancing by a + b steps equals advancing by a, then by b, bit for bit.
    """

    def __init__(self, flow: Flow, jumps: Leaps, every: int) -> None:
        self._flow, self._jumps, self._every = flow, jumps, every

    @property
    def state(self) -> Array:
        """The state of the flow."""
        return self._flow.state

    def advance(self, first_step: int, steps: int) -> None:
        """Move the particles."""
        step, end = first_step, first_step + steps
        while step < end:
            count = min(end - step, self._every - step % self._every)
            self._flow.advance(step, count)
            step += count
            if step % self._every == 0:
                x = self.particles()  # the state itself if it holds only the particles
                self._jumps.jump(x, step // self._every - 1)
                if not np.may_share_memory(x, self.state):
                    self.state[:, : x.shape[1]] = x

    def extra_state(self) -> Facts:
        """The flow's `extra_state`, and the counts of the jumps."""
        return {**self._flow.extra_state(), **self._jumps.counts}

    def restore(self, state: Array, extra_state: Facts) -> None:
        """Restore the flow from ``state`` and from the result of `extra_state` that belongs to it."""
        of_flow = dict(extra_state)
        self._jumps.counts.update({name: int(of_flow.pop(name)) for name in self._jumps.counts})
        self._flow.restore(state, of_flow)

    def particles(self) -> Array:
        """The particles (particles, dim)."""
        return self._flow.particles()

    def first_bad(self) -> int:
        """Index of the first non-finite particle, or -1."""
        return self._flow.first_bad()

    def facts(self) -> Facts:
        """Facts for the result: of the flow, and of the jumps under their name."""
        return {**self._flow.facts(), self._jumps.name: {"every": self._every, **self._jumps.facts()}}
