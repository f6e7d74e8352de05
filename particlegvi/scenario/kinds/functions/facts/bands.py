"""The bands of the function and of new targets, at the data and in the gaps between them, with Gaussian noise."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from particlegvi.contracts import Array, Facts
from particlegvi.functionspace.likelihoods.regression import Gaussian
from particlegvi.scenario.kinds.facts import fact
from particlegvi.scenario.kinds.functions.run import FunctionRun

IN_GAPS = 50  # inputs in each gap
F_WIDE, Y_WIDE = 1.6448536269514722, 1.959963984540054  # standard deviations of bands of 90% and of 95%


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
