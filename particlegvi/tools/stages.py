"""The stages of a run that take long: the words for each, and passing them to a progress."""

from __future__ import annotations

from typing import NamedTuple

from particlegvi.contracts import Stage, Stages

WORDS: dict[Stage, str] = {
    "compiling": "compiling for this machine, once",
    "scenarios": "compiling ahead",
    "steps": "preparing the steps",
    "truth": "comparing with the truth",
    "pictures": "drawing",
}


class Expected(NamedTuple):
    """Estimates of the compilation in a first use; zeros where they are unknown."""

    kernels: int = 0
    seconds: float = 0.0  # on the machine of `particlegvi.engine.numerics.compiling.REFERENCE`


def tell(progress: object, name: Stage, done: int = 0, total: int = 0, seconds: float = 0.0) -> None:
    """Tell ``progress`` of a stage if it wants to hear of stages (`particlegvi.contracts.Stages`)."""
    if isinstance(progress, Stages):
        progress.stage(name, done, total, seconds)


def words(name: Stage, seconds: float = 0.0) -> str:
    """One phrase for a stage, such as "compiling for this machine, once: about 30 s"."""
    if seconds < 0.5:
        return WORDS[name]
    rounded = round(seconds) if seconds < 10.0 else 5 * round(seconds / 5.0)
    return f"{WORDS[name]}: about {max(rounded, 1)} s"
