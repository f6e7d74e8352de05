"""The signs of the functions, where the likelihood cannot tell f from -f."""

from __future__ import annotations

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.kinds.facts import fact
from particlegvi.kinds.functions.run import FunctionRun

SAME = 0.9  # of the data at which a function has the signs of another, to count as like it


@fact(30)
def signs(run: FunctionRun) -> Facts:
    """``signs``: see `shares`."""
    return {"signs": shares(run)} if run.problem.likelihood.even else {}


def shares(run: FunctionRun) -> Facts:
    """At the data with y >= 1, where the posterior of f vanishes at 0: which signs the particles have.

    ``positive`` is the share of particles above 0 at ``input``, the place of the largest y; where the truth is known,
    ``as_truth``, ``mirrored`` and ``mixed`` are the shares that have the truth's signs at nine in ten of these data,
    the opposite ones, or some of each: where the truth changes its sign, a few may lie on the other side.
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
