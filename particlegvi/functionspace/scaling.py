"""The standard deviations by which columns are divided."""

from __future__ import annotations

import numpy as np

from particlegvi.functionspace.checks import Array


def spread(columns: Array, ddof: int = 0) -> Array:
    """The standard deviation of each column (or of one column by itself), 1 where it is constant.

    A constant column counts as one although rounding leaves its mean a little off, and with it a deviation that is not
    zero: that of a column of 0.1 may be 3e-17.
    """
    sd = columns.std(axis=0, ddof=ddof)
    rounding = len(columns) * np.finfo(float).eps * np.abs(columns).max(axis=0, initial=0.0)
    return np.where(sd > rounding, sd, 1.0)
