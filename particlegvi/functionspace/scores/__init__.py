"""Estimates of the score, the gradient of a log density, from samples alone.

`spectral` is the spectral Stein estimator, and `Spectral` the same with its facts, which can be asked at many points.
"""

from __future__ import annotations

from particlegvi.functionspace.scores.spectral import Spectral, spectral

__all__ = ["Spectral", "spectral"]
