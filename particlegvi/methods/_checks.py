"""Checks of the parameters that several methods share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def number(key: str, value: Any, least: float | None = None) -> float:
    """The number as a float if it is finite and above 0 (or at least ``least``), else a ``ValueError``."""
    allowed = "above 0" if least is None else f"of {least:g} or more"
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ValueError(f"{key} is {value!r}; a number {allowed} is allowed")
    if not math.isfinite(value) or (value <= 0.0 if least is None else value < least):
        raise ValueError(f"{key} is {value!r}; a finite number {allowed} is allowed")
    return float(value)


def whole(key: str, value: Any, most: float = math.inf) -> None:
    """Refuse what is not a whole number from 1 to ``most``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 1 <= value <= most:
        allowed = "of 1 or more" if most == math.inf else f"from 1 to {most}"
        raise ValueError(f"{key} is {value!r}; a whole number {allowed} is allowed")


def kernel_or_none(kernel: Any) -> None:
    """Refuse what is neither a kernel nor None."""
    if kernel is not None and not (hasattr(kernel, "slope") and hasattr(kernel, "lengthscale")):
        raise ValueError(f"kernel is {kernel!r}; a kernel of particlegvi.kernels, or None, is allowed")
