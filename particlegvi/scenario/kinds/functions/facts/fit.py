"""The facts of a fit: the model, the error against the truth, the bands, the signs of the functions."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from particlegvi.contracts import Array, Facts
from particlegvi.functionspace.likelihoods.regression import Gaussian
from particlegvi.scenario.kinds.facts import fact, is_table
from particlegvi.scenario.kinds.functions.run import FunctionRun

GRID = 200  # inputs at which the truth is compared
BAND = (0.05, 0.95)
IN_GAPS = 50  # inputs in each gap
F_WIDE, Y_WIDE = 1.6448536269514722, 1.959963984540054  # standard deviations of bands of 90% and of 95%
SAME = 0.9  # two functions count as alike if their signs agree at this share of the data


@fact(10, ("method", "particles", "log_density", "run"), run=is_table)
def fit(run: FunctionRun) -> Facts:
    """The model, sizes, the mean log density of the data, and the facts that the fit states about itself."""
    X, y = run.problem.X, run.problem.y
    observed = run.problem.observed
    law = run.marginals(X) if observed is None else run.posterior.marginals(observed)
    count, dim = run.final.shape
    return {
        "method": run.method.name,
        "particles": count,
        "dim": dim,
        "observations": len(y),
        "steps": int(run.steps[-1]),
        "step_size": run.step_size,
        "log_density": float(law.log_predictive_density(run.problem.likelihood, y).mean()),
        "run": {name: value for name, value in run.info.items() if name != "seconds"},
    }


@fact(20)
def truth(run: FunctionRun) -> Facts:
    """``truth``: ``rmse`` of the mean of y, and the part of the true function that the 90% band has ``covered``."""
    return {} if run.data.truth is None else {"truth": compared(run)}


def compared(run: FunctionRun) -> dict[str, float]:
    """Compare with the true function: the error of the mean of y, and the part that the 90% band covers.

    With one input they are compared at evenly spaced inputs over the range of the data, otherwise at the data.

    If the likelihood is even in f, the band is the band of |f|.
    """
    X, likelihood = run.problem.X, run.problem.likelihood
    low, high = run.data.window or (X.min(), X.max())
    grid = np.linspace(low, high, GRID)[:, None] if run.data.inputs == 1 else X
    f = run.data.value(grid)
    law = run.marginals(grid)
    error = law.expectation(likelihood.mean) - likelihood.mean(f)
    below = law.cdf(np.abs(f)) - law.cdf(-np.abs(f)) if likelihood.even else law.cdf(f)
    inside = (below >= BAND[0]) & (below <= BAND[1])
    return {"rmse": float(np.sqrt(np.mean(error**2))), "covered": float(inside.mean())}


@fact(25)
def bands(run: FunctionRun) -> Facts:
    """``bands``: at the ``data``, and in the ``gaps`` where there are some, the mean ``sd`` of the function, the share
    of inputs ``covered`` by its 90% band, and the probability ``covered_targets`` of a new target in the 95% band of
    targets.
    """
    likelihood = run.problem.likelihood
    if run.data.truth is None or not isinstance(likelihood, Gaussian) or run.problem.observed is not None:
        return {}
    places = {"data": run.problem.X}
    if run.data.settings.get("gaps"):
        ends = run.data.settings["gaps"]
        places["gaps"] = np.concatenate([np.linspace(low, high, IN_GAPS) for low, high in ends])[:, None]
    return {"bands": {name: _at(run, X, likelihood.noise_variance) for name, X in places.items()}}


def _at(run: FunctionRun, X: Array, noise_variance: float) -> Facts:
    mean, sd = run.predict(X, return_std=True)
    away = mean - run.data.value(X)
    wide, noise = Y_WIDE * np.sqrt(sd**2 + noise_variance), np.sqrt(noise_variance)
    inside = ndtr((away + wide) / noise) - ndtr((away - wide) / noise)
    return {"sd": float(sd.mean()), "covered": float(np.mean(np.abs(away) <= F_WIDE * sd)),
            "covered_targets": float(inside.mean())}  # fmt: skip


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
    numbers: Facts = {"input": X[largest].tolist(), "positive": float(np.mean(centres > 0.0))}
    rows = np.flatnonzero(y > 0.0)
    if run.data.truth is not None and len(rows):
        same = (run.marginals(X[rows]).centres > 0.0) == (run.data.value(X[rows]) > 0.0)
        share = same.mean(axis=1)
        kept, turned = float(np.mean(share >= SAME)), float(np.mean(share <= 1.0 - SAME))
        numbers |= {
            "as_truth": kept,
            "mirrored": turned,
            "mixed": float(np.mean((share > 1.0 - SAME) & (share < SAME))),
        }
    return numbers


@fact(40)
def equilibrium(run: FunctionRun) -> Facts:
    """``equilibrium``: the verdict of the sampler, for methods that have one."""
    return {"equilibrium": run.info["equilibrium"]} if "equilibrium" in run.info else {}
