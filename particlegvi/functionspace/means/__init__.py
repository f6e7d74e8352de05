"""Means for Gaussian Wasserstein inference: least squares on kernel functions, a network, or a given model.

To add a mean, add a file here: a class with the methods of `Mean`.
"""

from __future__ import annotations

from particlegvi.functionspace.means.given import Given
from particlegvi.functionspace.means.inducing import Inducing
from particlegvi.functionspace.means.mean import Mean
from particlegvi.functionspace.means.network import MeanNetwork

__all__ = ["Given", "Inducing", "Mean", "MeanNetwork"]
