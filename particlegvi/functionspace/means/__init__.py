"""Means for Gaussian Wasserstein inference: least squares on kernel functions, a network, or a model that is given.

A new one is one more file here: a class with the methods of `Mean`.
"""

from __future__ import annotations

from particlegvi.functionspace.means.given import Given
from particlegvi.functionspace.means.inducing import Inducing
from particlegvi.functionspace.means.mean import Mean
from particlegvi.functionspace.means.network import Network

__all__ = ["Given", "Inducing", "Mean", "Network"]
