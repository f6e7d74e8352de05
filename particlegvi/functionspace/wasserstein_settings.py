"""What the weight of a Wasserstein distance and the rule for a covariance may be."""

from __future__ import annotations

import warnings

from particlegvi.tools import arguments
from particlegvi.tools.quoting import refuse

WEIGHTS = ("unsquared", "code")
COVARIANCES = ("closed", "optimal", "svgp")


def weight(value: object) -> float | str:
    """A number of 0 or more, of which 0 is warned of, or one of two names."""
    if isinstance(value, str):
        if value not in WEIGHTS:
            raise refuse("w2_weight", value, 'a number of at least 0, "unsquared" or "code"')
        return value
    found = float(arguments.not_negative("w2_weight", value))
    if found == 0.0:
        warnings.warn("w2_weight is 0: least squares, with no variance but the residual of the basis", stacklevel=3)
    return found


def rule(value: object) -> str:
    """One of the names of covariances."""
    if not isinstance(value, str) or value not in COVARIANCES:
        raise refuse("covariance", value, f"one of {', '.join(COVARIANCES)}")
    return value
