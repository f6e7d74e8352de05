"""The signs of the functions, for a likelihood that is even in f."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.scenario.kinds.facts import fact
from particlegvi.scenario.kinds.functions.run import FunctionRun

SAME = 0.9  # two functions count as alike if their signs agree at this share of the data


@fact(30)
def signs(run: FunctionRun) -> Facts:
    """``signs``: see `shares`."""
    return {"signs": shares(run)} if run.problem.likelihood.even else {}


def shares(run: FunctionRun) -> Facts:
    """The signs of the particles at the data with y >= 1, where the posterior density of f vanishes at 0.

    ``positive`` is the share of particles above 0 at ``input``, the input of the largest y. If the truth is known,
    ``as_truth`` is the share of particles with the truth's signs at nine in ten of these data (near a change of sign a
    few may differ), ``mirrored`` the share with the opposite signs there, and ``mixed`` the share of all others.
    """
    X, y = run.problem.X, run.problem.y
    largest = int(np.argmax(y))
    centres = run.marginals(X[largest : largest + 1]).centres[:, 0]
    found: Facts = {"input": X[largest].tolist(), "positive": float(np.mean(centres > 0.0))}
    rows = np.flatnonzero(y > 0.0)
    if run.data.truth is not None and len(rows):
        same = (run.marginals(X[rows]).centres > 0.0) == (run.data.value(X[rows]) > 0.0)
        share = same.mean(axis=1)
        kept, turned = float(np.mean(share >= SAME)), float(np.mean(share <= 1.0 - SAME))
        found |= {"as_truth": kept, "mirrored": turned, "mixed": float(np.mean((share > 1.0 - SAME) & (share < SAME)))}
    return found
