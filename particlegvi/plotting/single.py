"""One run on one panel: the figure that ``run.plot()`` shows."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from particlegvi.contracts import Target
from particlegvi.plotting import histograms, loss, particles, plane, style
from particlegvi.plotting.layout import legend_below
from particlegvi.plotting.look import Look, drawn_in, look
from particlegvi.plotting.protocols import ParticleRun
from particlegvi.plotting.text_layout import finished
from particlegvi.settings.look import check
from particlegvi.tools import objects
from particlegvi.tools.quoting import shown


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
    with drawn_in(Look(**check(settings))):
        return finished(_drawn(run, target))


def _drawn(run: ParticleRun, target: Target | None) -> Figure:
    runs, targets = {run.label: run}, {run.label: target}
    colour = style.colours(runs)[run.label]
    dim = run.positions.shape[2]
    with style.slide_style():
        figure = style.new_slide(heading=False)
        axes = figure.subplots()
        if dim == 1:
            limits = histograms.common_range(runs, targets)
            lines, _ = histograms.draw_panel(axes, run, target, colour, limits, bins=48)
            headroom = look().headroom(lines, 1)
            histograms.share_heights([axes], headroom)
            histograms.draw_loss(axes, [run], limits, True, headroom)
        elif dim == 2:
            surface = plane.plane_of(runs, targets)
            particles.draw_panel(axes, run, target, colour, surface)
        else:
            loss.draw_loss(axes, run.label, run, target, colour, 2.4)
            loss.name_dashes(axes)
        style.panel_title(axes, run.label, run, colour)
        legend_below(figure)
    return figure
