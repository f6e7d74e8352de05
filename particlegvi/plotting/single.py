"""One run on one panel: the figure that ``run.plot()`` shows."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from particlegvi.contracts import Facts, Target
from particlegvi.plotting.kind import kinds
from particlegvi.plotting.protocols import ParticleRun
from particlegvi.settings.pictures import check
from particlegvi.tools import objects
from particlegvi.tools.quoting import shown

KINDS = {1: "histograms", 2: "particles"}  # by the number of dimensions; "loss" in more


class OneRun(dict[str, ParticleRun]):
    """Results that have one run and no heading."""

    scenario: Facts = {}
    summary: Facts = {}

    def __init__(self, run: ParticleRun, target: Target | None) -> None:
        super().__init__({run.label: run})
        self.targets = {run.label: target}


def plot_run(run: ParticleRun, target: Target | None = None, **settings: Any) -> Figure:
    """The final particles of one run, with the truth if it is given.

    Parameters
    ----------
    run : Run
        A finished run.
    target : Target, optional
        Its truth, for example ``particlegvi.target(run.loss, run.method, run.prior)``.
    **settings
        Settings of the look (see `particlegvi.plotting.figure`): ``size``, ``font_size``, ``palette`` and so on.

    Returns
    -------
    matplotlib.figure.Figure
        A histogram in 1-D, particles over the contours of the loss in 2-D, the average loss over time otherwise.
        A notebook shows it by itself; ``figure.savefig(path)`` writes it.
    """
    objects.run(run)
    if isinstance(target, str):
        raise ValueError(
            f"target must be a target, not {shown(target)}: one run has one kind of figure; results of"
            f" particlegvi.compare have every kind, as results.plot({shown(target)})"
        )
    if target is not None:
        objects.target(target)
        objects.same_dim("target", target.dim, run.loss.dim)
    return kinds[KINDS.get(run.positions.shape[2], "loss")](OneRun(run, target), **check(settings))
