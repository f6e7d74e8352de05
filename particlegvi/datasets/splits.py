"""Splits into training, validation and test rows as published tables use them, without scikit-learn.

Both recipes draw from numpy's legacy stream, which numpy has frozen, so that the row numbers equal those of the papers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from particlegvi.tools import arguments

MOST = 100_000_000  # rows, or splits


class Split(NamedTuple):
    """Row numbers, without overlap; ``validation`` may be empty."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


def standard_splits(rows: int, count: int = 20, seed: int = 1) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The 90/10 splits of Hernandez-Lobato & Adams (2015) and Gal & Ghahramani (2016), one after another.

    Parameters
    ----------
    rows : int
    count : int
        20, and 5 for ``protein``.
    seed : int
        1 in both papers.

    Yields
    ------
    (train, test) : arrays of row numbers

    Raises
    ------
    ValueError
        If there are fewer than 6 rows, so that a test set would be empty.
    """
    rows, count = _rows(rows), arguments.whole("count", count, 0, MOST)
    train = math.floor(0.9 * rows + 0.5)
    if train == rows:
        raise ValueError(f"rows must be at least 6 for a 90/10 split, not {rows}")
    stream = _stream(seed)
    for _ in range(count):
        order = stream.choice(rows, rows, replace=False)
        yield order[:train], order[train:]


def holdout(rows: int, test: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The row numbers of scikit-learn's ``train_test_split(test_size=test, random_state=seed)``: (train, test).

    The thesis's Table 5.1 is made with ``test=0.1`` and the seeds 0 to 19.

    Raises
    ------
    ValueError
        If the training or the test set would be empty.
    """
    rows, test = _rows(rows), arguments.real("test", test, "a fraction between 0 and 1")
    tested = math.ceil(test * rows) if 0.0 < test < 1.0 else 0
    if not 0 < tested < rows:
        raise ValueError(f"test must be a fraction that leaves a row of {rows} on each side, not {test!r}")
    order = _stream(seed).permutation(rows)
    return order[tested:], order[:tested]


def _rows(rows: int) -> int:
    return arguments.whole("rows", rows, 1, MOST)


def _stream(seed: int) -> np.random.RandomState:
    """numpy's legacy stream, whose seeds have 32 bits."""
    if arguments.seed(seed) >= 2**32:
        raise arguments.refuse("seed", seed, "a whole number from 0 to 2^32 - 1")
    return np.random.RandomState(int(seed))


def thesis_split(rows: int, seed: int, task: str) -> Split:
    """The split of Table 6.2 with this seed (0 to 4 there): 80/10/10 in regression, 75/25 in classification.

    Raises
    ------
    ValueError
        If the task is neither, or there are too few rows.
    """
    if not isinstance(task, str) or task not in ("regression", "classification"):
        raise arguments.refuse("task", task, '"regression" or "classification"')
    if task == "classification":
        train, test = holdout(rows, 0.25, seed)
        return Split(train, np.empty(0, dtype=train.dtype), test)
    # The fractions are computed as in the authors' program: their last bits decide single rows.
    train, rest = holdout(rows, 1.0 - 0.8, seed)
    remaining = 1.0 - 0.8 - 0.1
    validation, test = holdout(len(rest), remaining / (remaining + 0.1), seed)
    return Split(train, rest[validation], rest[test])
