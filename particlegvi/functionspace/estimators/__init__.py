"""Models of functions behind scikit-learn's interface, for pipelines, grid search and cross-validation."""

import importlib.util

from particlegvi.tools.lazy import bound

if importlib.util.find_spec("sklearn") is None:
    raise ImportError("these estimators need scikit-learn: pip install 'particlegvi[learn]'")

__all__ = bound(__name__)
