"""The errors that are not plain bad values (those are ``ValueError``)."""

from __future__ import annotations

import contextlib
from typing import Any


class Diverged(RuntimeError):
    """A step made a particle non-finite; what had been recorded is in ``run``.

    Attributes
    ----------
    step : int
        Number of the step (counted from 1) that produced the first non-finite value.
    particle : int
        Index of the lowest-numbered particle that was non-finite after that step.
    run : particlegvi.simulation.run.Run or None
        The records taken before the step.
    """

    def __init__(self, message: str, step: int, particle: int, run: Any = None):
        super().__init__(message)
        self.step = step
        self.particle = particle
        self.run = run


def carry(error: BaseException, name: str, what: Any) -> None:
    """Attach an object to an error on its way up: ``error.run``, ``error.results``.

    A user reads it as an attribute, for every class of error: `Diverged`, ``KeyboardInterrupt``, ``OSError``.
    """
    with contextlib.suppress(AttributeError):  # of an error that takes no attributes
        setattr(error, name, what)


def carried(error: BaseException, name: str) -> Any:
    """The object that `carry` attached, or None."""
    return vars(error).get(name) if hasattr(error, "__dict__") else None
