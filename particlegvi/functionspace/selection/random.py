"""Inducing points at random among the inputs.

The order of the rows is a function of the seed; see `particlegvi.functionspace.preprocessing`.
"""

from __future__ import annotations

from particlegvi.contracts import Array
from particlegvi.functionspace import preprocessing
from particlegvi.functionspace.covariances.covariance import Covariance
from particlegvi.functionspace.selection.selection import Selection, chosen
from particlegvi.tools.registry import named


@named("random")
def random(covariance: Covariance, X: Array, count: int, seed: int) -> Selection:
    """Draw ``count`` rows of X without replacement; every subset is equally likely.

    The rule uses neither the covariance nor the distances of the inputs. It is a comparator for the other rules: it
    takes many points from clusters of inputs, and leaves gaps in places with few inputs.
    """
    return chosen("random", X, preprocessing.order(seed, "selection", len(X))[:count], count, seed)
