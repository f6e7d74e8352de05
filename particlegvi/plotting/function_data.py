"""The data of a scenario over functions, on the axis of the function."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from particlegvi.plotting import style

FEW = 150  # with more data than this the dots are small


def levels(run: Any) -> NDArray[np.float64]:
    """Where the data lie on the axis of f.

    The roots of counts whose rate is f^2, the targets of a curve (and what they are without a shift), labels nowhere.
    """
    likelihood, y = run.problem.likelihood, run.problem.y
    if likelihood.even:
        return np.sqrt(y)
    if hasattr(likelihood, "shift"):
        return np.concatenate([y, y - likelihood.shift])
    return np.empty(0) if callable(getattr(likelihood, "probability", None)) else y


def draw_data(axes: Axes, run: Any) -> None:
    """Dots at the targets; counts at plus and minus their roots, labels at the edges of the panel."""
    likelihood, X, y = run.problem.likelihood, run.problem.X[:, 0], run.problem.y
    size = 26.0 if len(y) <= FEW else 5.0
    look: dict[str, Any] = {"s": size, "color": style.TEXT_GREY, "edgecolors": "white", "linewidths": 0.3, "zorder": 3}
    if likelihood.even:
        look["alpha"] = 0.8 if len(y) <= FEW else 0.3
        axes.scatter(X, np.sqrt(y), label="data, ± root of the count", **look)
        axes.scatter(X, -np.sqrt(y), **look)
    elif len(levels(run)):
        axes.scatter(X, y, label="data", **look)
        if hasattr(likelihood, "shift"):
            hollow = {**look, "color": "none", "edgecolors": style.TEXT_GREY, "linewidths": 1.0}
            axes.scatter(X, y - likelihood.shift, label="data, if they were shifted", **hollow)
    else:
        across = axes.get_xaxis_transform()
        for label, height, mark in ((1.0, 0.97, "v"), (0.0, 0.03, "^")):
            shown = X[y == label]
            axes.plot(shown, np.full(len(shown), height), mark, markersize=6.0, transform=across,
                      color=style.TEXT_GREY, label=f"label {label:.0f}")
