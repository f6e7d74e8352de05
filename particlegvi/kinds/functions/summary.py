"""The numbers worth quoting of a fitted function: what ``summary.json`` says. Its keys are in docs/results.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlegvi.kinds.functions.run import FunctionRun

GRID = 200  # inputs at which the truth is compared
BAND = (0.05, 0.95)
SAME = 0.9  # of the data at which a function has the signs of another, to count as like it


def facts(run: FunctionRun) -> dict[str, Any]:
    """What the summary says about one method."""
    X, y = run.problem.X, run.problem.y
    likelihood = run.problem.likelihood
    count, dim = run.final.shape
    fitted = run.marginals(X)
    found: dict[str, Any] = {
        "method": run.method.name,
        "particles": count,
        "dim": dim,
        "observations": len(y),
        "steps": int(run.steps[-1]),
        "step_size": run.step_size,
        "log_density": float(fitted.log_density(likelihood, y).mean()),
        "run": {name: value for name, value in run.info.items() if name != "seconds"},
    }
    if run.data.truth is not None:
        found["truth"] = truth(run)
    if likelihood.even:
        found["signs"] = signs(run)
    if "equilibrium" in run.info:
        found["equilibrium"] = run.info["equilibrium"]
    return found


def truth(run: FunctionRun) -> dict[str, float]:
    """How far the mean of y is from its true mean, and how much of the truth the 90% band covers.

    Where the likelihood does not tell f from -f the band is that of the function's size.
    """
    X, likelihood = run.problem.X, run.problem.likelihood
    grid = np.linspace(X.min(), X.max(), GRID)[:, None]
    f = run.data.value(grid)
    law = run.marginals(grid)
    error = law.expectation(likelihood.mean) - likelihood.mean(f)
    below = law.cdf(np.abs(f)) - law.cdf(-np.abs(f)) if likelihood.even else law.cdf(f)
    inside = (below >= BAND[0]) & (below <= BAND[1])
    return {"rmse": float(np.sqrt(np.mean(error**2))), "covered": float(inside.mean())}


def signs(run: FunctionRun) -> dict[str, Any]:
    """At the data with y >= 1, where the posterior of f vanishes at 0: which signs the particles have.

    ``positive`` is the share of particles above 0 at ``input``, the place of the largest y; where the truth is known,
    ``as_truth``, ``mirrored`` and ``mixed`` are the shares that have the truth's signs at nine in ten of these data,
    the opposite ones, or some of each: where the truth changes its sign, a few may lie on the other side.
    """
    X, y = run.problem.X, run.problem.y
    largest = int(np.argmax(y))
    centres = run.marginals(X[largest : largest + 1]).centres[:, 0]
    found: dict[str, Any] = {"input": X[largest].tolist(), "positive": float(np.mean(centres > 0.0))}
    rows = np.flatnonzero(y > 0.0)
    if run.data.truth is not None and len(rows):
        same = (run.marginals(X[rows]).centres > 0.0) == (run.data.value(X[rows]) > 0.0)
        share = same.mean(axis=1)
        kept, turned = float(np.mean(share >= SAME)), float(np.mean(share <= 1.0 - SAME))
        found |= {"as_truth": kept, "mirrored": turned, "mixed": float(np.mean((share > 1.0 - SAME) & (share < SAME)))}
    return found


def checked(summary: dict[str, Any] | None) -> dict[str, Any] | None:
    """A summary that was read from a file, if what figures and tables rely on is there."""
    if summary is None:
        return None
    methods = summary.get("methods")
    if not isinstance(methods, dict) or not {"seed", "status"} <= set(summary):
        raise ValueError("it has no seed, no status or no table of methods")
    for label, found in methods.items():
        if not isinstance(found, dict) or not {"method", "particles", "log_density", "run"} <= set(found):
            raise ValueError(f"{label} has no method, particles, log_density or run")
    return summary
