"""The truth of a scenario is found once in each process of tests (the fixture ``remembered_truth``)."""

from __future__ import annotations

import numpy as np

from particlegvi import targets

_found: dict = {}
_find = targets.target


def _key(loss, method, prior, initial):
    start = initial.tobytes() if isinstance(initial, np.ndarray) else repr(initial)
    return repr((loss.name, loss.formula, loss.term, type(method), method, prior)), start


def target(loss, method, prior=None, initial=None, seed=0):
    key = _key(loss, method, prior, initial)
    if key not in _found:
        _found[key] = _find(loss, method, prior, initial, seed=seed)
    return _found[key]
