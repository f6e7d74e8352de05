"""What several figures have in common: particles as a histogram, a law as a curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from particlegvi.plotting import style

BARS: dict[str, Any] = {"color": style.SKY, "edgecolor": "white", "linewidth": 0.4}


def histogram(axes: Any, particles: np.ndarray, window: tuple[float, float], bins: int = 60, **look: Any) -> None:
    """Density histogram of particles (n,), whose area is the share of them inside the window."""
    edges = np.linspace(*window, bins + 1)
    weights = np.full(len(particles), 1.0 / (len(particles) * (edges[1] - edges[0])))
    axes.hist(particles, edges, weights=weights, **{**BARS, "label": "particles", **look})
    axes.set(xlim=window, xlabel=r"parameter $\theta$", ylabel="density")


def curve(axes: Any, target: Any, window: tuple[float, float], **look: Any) -> None:
    """The density of a target."""
    x = np.linspace(*window, 500)
    axes.plot(x, target.pdf(x), **{"color": style.BLACK, "linestyle": "--", "label": "$Q^*$", **look})


def log_numbers(axes: Any, numbers: np.ndarray) -> None:
    """A logarithmic axis of particle numbers, with a tick for each that was tried and no other."""
    axes.set(xscale="log", xlabel="particles $N$")
    axes.set_xticks(numbers, [f"{number:g}" for number in numbers])
    axes.minorticks_off()


def legend(axes: Any, place: str = "best", **look: Any) -> None:
    """A legend that hides nothing."""
    axes.legend(loc=place, **{"handlelength": 1.6, "borderaxespad": 0.2, **look})


def plane(axes: Any, reach: float) -> None:
    """A square window around the origin, with the legend beside it."""
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xlabel=r"$\theta_1$", ylabel=r"$\theta_2$")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.0, handletextpad=0.4)
