"""The base class of schedules."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.tools import arguments
from particlegvi.tools.html import Card


@dataclass(frozen=True)
class Schedule(Card):
    """A step size for every step; a subclass adds its parameters, its ``name``, ``at`` and ``__str__``.

    Parameters
    ----------
    initial : float
        Size of step 0, above 0.

    Attributes
    ----------
    name : str
        Name in the registry (of the class).
    in_words : mapping
        What figures call it, by language, for example ``{"de": "{initial} bis {final}"}`` with parameters in braces (of
        the class). Without it they show ``str`` of the schedule.

    Raises
    ------
    ValueError
        If a parameter is not a finite number above 0.
    """

    initial: float
    name: ClassVar[str]
    in_words: ClassVar[Mapping[str, str]] = MappingProxyType({})

    def __post_init__(self) -> None:
        for parameter in self.parameters():
            value = arguments.positive(f"{parameter} of the step size", vars(self)[parameter])
            object.__setattr__(self, parameter, value)

    def at(self, step: np.ndarray) -> np.ndarray:
        """Sizes of the steps of these numbers (from 0), entry by entry."""
        raise NotImplementedError

    @classmethod
    def parameters(cls) -> list[str]:
        """Names of the parameters."""
        return [field.name for field in dataclasses.fields(cls)]

    @classmethod
    def required(cls) -> list[str]:
        """Names of the parameters without a default."""
        return [field.name for field in dataclasses.fields(cls) if field.default is dataclasses.MISSING]

    def table(self) -> Facts:
        """The table that stands for it in a scenario."""
        return {"schedule": self.name, **dataclasses.asdict(self)}
