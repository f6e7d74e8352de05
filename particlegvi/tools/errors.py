"""The errors that are not plain bad values (those are ``ValueError``), and warnings."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import warnings
from typing import Any


class Diverged(RuntimeError):
    """A step made a particle non-finite; the records taken before are in ``run``.

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


class BadCall(TypeError, ValueError):
    """A call with an argument that does not exist, or without one that is needed: a `TypeError` as Python's own, and a
    bad value as all others are."""


class FolderLost(OSError):
    """The folder at a path is not the one that this process began to write: it was moved, removed or replaced."""

    def __str__(self) -> str:
        return str(self.strerror)


def carry(error: BaseException, name: str, value: Any) -> None:
    """Attach an object to an error on its way up: ``error.run``, ``error.results``.

    A user reads it as an attribute, for every class of error: `Diverged`, ``KeyboardInterrupt``, ``OSError``.
    """
    with contextlib.suppress(AttributeError):  # some errors take no attributes
        setattr(error, name, value)


def carried(error: BaseException, name: str) -> Any:
    """The object that `carry` attached, or None."""
    return vars(error).get(name) if hasattr(error, "__dict__") else None


class LossNotHere(ValueError):
    """A folder has the records of a run, and not its loss, which was handed in as functions of Python."""


class MissingLibrary(ImportError, ValueError):
    """A library of an extra is not installed; the sentence says how to get it."""


def needed(subject: str, extra: str, *libraries: str) -> None:
    """Raise `MissingLibrary` unless all the libraries are there, whose imports come after this call.

    ``subject`` begins the sentence, for example "a data frame"; ``extra`` is the extra of this package that has them.
    """
    missing = [name for name in libraries if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingLibrary(f"{subject} needs {' and '.join(missing)}: pip install 'particlegvi[{extra}]'")


def warn(sentence: str) -> None:
    """Warn with a sentence at the line that called the package: below it, numba and scikit-learn may call us again."""
    depth, level, frame = 0, 1, sys._getframe()  # noqa: SLF001 - inspect would slow the start
    while frame.f_back is not None:
        depth += 1
        if frame.f_globals.get("__name__", "").partition(".")[0] == "particlegvi":
            level = depth + 1
        frame = frame.f_back
    warnings.warn(sentence, UserWarning, stacklevel=level)
