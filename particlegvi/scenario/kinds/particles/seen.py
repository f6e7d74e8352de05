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
    """A run with its target and its start."""

    run: Run
    target: Any  # the minimiser of the method's objective, if there is one
    reason: str | None  # the reason if there is no target
    modes: Any  # the points of the scenario whose neighbourhoods are counted
    start: Array  # (dim,): start of the first particle
    found: Facts  # the keys of the facts computed before

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
