"""Means over seeds with their intervals, where some seeds may have no number."""

import numpy as np

from particlegvi.contracts import Array

LEVEL = 0.95


def mean_over(values: Array, axes: int | tuple[int, ...]) -> Array:
    """Means over axes of the finite numbers; NaN where there is none."""
    known = np.isfinite(values)
    counts = known.sum(axis=axes)
    means: Array = np.where(counts > 0, np.where(known, values, 0.0).sum(axis=axes) / np.maximum(counts, 1), np.nan)
    return means


def interval(values: Array) -> tuple[float, float, float] | None:
    """Mean over the seeds that have a number, and its 95% interval (Student); None for fewer than two seeds."""
    from scipy.special import stdtrit

    known = values[np.isfinite(values)]
    if len(known) < 2:
        return None
    mean, error = float(known.mean()), float(known.std(ddof=1)) / len(known) ** 0.5
    width = float(stdtrit(len(known) - 1, 0.5 + 0.5 * LEVEL)) * error
    return mean, mean - width, mean + width


def band(values: Array) -> tuple[Array, Array, Array]:
    """The means of the rows of values (values, seeds), and the ends of their intervals; NaN where there is none."""
    ends = np.array([(interval(row) or (np.nan,) * 3)[1:] for row in values])
    return mean_over(values, 1), ends[:, 0], ends[:, 1]
