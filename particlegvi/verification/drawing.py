"""Parts of several figures: particles as a histogram, a law as a curve, axes and legends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from particlegvi.contracts import Facts
from particlegvi.plotting import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from particlegvi.targets.density import DensityTarget

BARS: Facts = {"color": style.SKY, "edgecolor": "white", "linewidth": 0.4}


def histogram(axes: Axes, particles: np.ndarray, window: tuple[float, float], bins: int = 60, **look: Any) -> None:
    """Density histogram of particles (n,); its area is the share of the particles inside the window."""
    edges = np.linspace(*window, bins + 1)
    weights = np.full(len(particles), 1.0 / (len(particles) * (edges[1] - edges[0])))
    axes.hist(particles, edges.tolist(), weights=weights, **{**BARS, "label": "particles", **look})
    axes.set(xlim=window, xlabel=r"parameter $\theta$", ylabel="density")


def curve(axes: Axes, target: DensityTarget, window: tuple[float, float], **look: Any) -> None:
    """The density of a target."""
    x = np.linspace(*window, 500)
    axes.plot(x, target.pdf(x), **{"color": style.BLACK, "linestyle": "--", "label": "$Q^*$", **look})


def log_numbers(axes: Axes, numbers: np.ndarray) -> None:
    """A logarithmic axis of particle numbers, with ticks at these numbers only."""
    axes.set(xscale="log", xlabel="particles $N$")
    axes.set_xticks(numbers, [f"{number:g}" for number in numbers])
    axes.minorticks_off()


def legend(axes: Axes, place: str = "best", **look: Any) -> None:
    """A legend with short handles and little padding."""
    settings: Facts = {"loc": place, "handlelength": 1.6, "borderaxespad": 0.2, **look}
    axes.legend(**settings)


def plane(axes: Axes, reach: float) -> None:
    """A square window around the origin, with the legend to its right."""
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xlabel=r"$\theta_1$", ylabel=r"$\theta_2$")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.0, handletextpad=0.4)
