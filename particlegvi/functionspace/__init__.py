"""Inference over functions: projected Langevin sampling (thesis, chapter 6) and its comparators.

Names are imported at their first use, like those of `particlegvi` itself; ``__init__.pyi`` lists them. The estimators
need scikit-learn, an extra, so a star import leaves them out.
"""

from __future__ import annotations

from particlegvi.tools.lazy import attach

__getattr__, _names = attach(__name__)
__all__ = _names[: _names.index("GaussianWassersteinRegressor")]  # the first of the estimators


def __dir__() -> list[str]:
    return sorted(_names)
