"""The input of the facts of one run of particles."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from particlegvi.contracts import Array, Facts
from particlegvi.engine.numerics.threads import one_blas_thread
from particlegvi.simulation.run import Run

HUGE = 1e100


class Seen(NamedTuple):
    """A run with its target and its start.

    Attributes
    ----------
    run : Run
    target : target or None
        The minimiser of the method's objective, if there is one.
    reason : str or None
        The reason if there is no target.
    modes : list or None
        The points of the scenario whose neighbourhoods are counted.
    start : array (dim,)
        Start of the first particle.
    found : dict
        The keys of the facts computed before.
    """

    run: Run
    target: Any
    reason: str | None
    modes: Any
    start: Array
    found: Facts

    def has_target(self, *kinds: str) -> bool:
        """Whether there is a target of one of these kinds."""
        return self.target is not None and self.target.kind in kinds


def usable(run: Run) -> bool:
    """Whether all final coordinates are below 1e100 in size, so that their squares are finite."""
    return bool(np.all(np.abs(run.final) < HUGE))


@contextmanager
def same_bits() -> Iterator[None]:
    """Compute without warnings, and with one thread of the linear algebra: the same bits on any number of cores."""
    with np.errstate(all="ignore"), one_blas_thread():
        yield
