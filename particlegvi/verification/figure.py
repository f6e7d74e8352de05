"""One picture for each claim: the experiment next to its wrong variant, and both numbers against the bound."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from particlegvi.contracts import Facts
from particlegvi.plotting import look, style
from particlegvi.settings import colours
from particlegvi.verification.claim import Experiment, Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RIGHT, WRONG = colours.BLUE, colours.VERMILLION
SIGNS = {"<=": "\N{LESS-THAN OR EQUAL TO}", ">=": "\N{GREATER-THAN OR EQUAL TO}"}
NARROWEST = 1e-3  # smallest fraction of the bound on the gauge; smaller ones are drawn there


def save(outcome: Outcome, path: Path) -> Path:
    """Draw the two variants of an outcome, and write them as PNG."""
    assert outcome.right is not None and outcome.wrong is not None
    claim = outcome.claim
    with style.slide_style():
        figure = style.new_slide()
        grid = figure.add_gridspec(2, 1, height_ratios=(4.0, 1.3))
        panels: Any = grid[0].subgridspec(1, 2).subplots(sharey=claim.same_scale)
        for axes, experiment, words, colour in (
            (panels[0], outcome.right, f"as claimed: {outcome.verdict}", RIGHT),
            (panels[1], outcome.wrong, f"wrong variant: {'fails' if outcome.control == 'failed' else 'PASSES'}", WRONG),
        ):
            experiment.picture.draw(axes)
            second = "" if experiment is outcome.right else claim.wrong
            axes.set_title(f"{words}\n{second}", color=colours.darker(colour), parse_math=False)
        if claim.same_scale:
            panels[1].set_ylabel("")
        _gauge(figure.add_subplot(grid[1]), outcome.right, outcome.wrong)
        height = figure.get_size_inches()[1]
        place: Facts = {"va": "top", "parse_math": False}
        figure.text(0.012, 1.0 - 0.10 / height, claim.claim, size=look.MEDIUM, weight="bold", **place)
        where = f"{claim.name}  |  {claim.source}"
        figure.text(0.012, 1.0 - 0.42 / height, where, size=look.SMALL, color=colours.TEXT_GREY, **place)
        return style.save(figure, path)


def _gauge(axes: Axes, right: Experiment, wrong: Experiment) -> None:
    """Fraction of the bound that each variant uses up, on a logarithmic axis with the bound at 1."""
    loads = [min(max(experiment.decisive.load, NARROWEST), 1e9) for experiment in (right, wrong)]
    highest = 10.0 ** math.ceil(math.log10(max(*loads, 10.0)) + 0.3)
    axes.set(xscale="log", xlim=(0.6 * NARROWEST, highest), ylim=(0.0, 4.2), yticks=[])
    axes.spines["left"].set_visible(False)
    axes.axvspan(1.0, highest, color=colours.LOSS_GREY, alpha=0.25, linewidth=0)
    axes.axvline(1.0, color=colours.BLACK, linestyle="--")
    rows = ((2.5, loads[0], right, RIGHT, "o"), (0.6, loads[1], wrong, WRONG, "X"))
    for height, load, experiment, colour, marker in rows:
        axes.plot([load], [height], marker, color=colour, markersize=11, clip_on=False)
        check = experiment.decisive
        said = f"{check.quantity}: {check.measured:.3g} (bound: {SIGNS[check.relation]} {check.bound:.3g})"
        words = axes.text(
            0.005, (height + 1.0) / 4.2, said, color=colours.darker(colour), parse_math=False,
            transform=axes.transAxes, va="center",
        )  # fmt: skip
        style.outlined(words)
    axes.set_xlabel("fraction of the bound that is used up (beyond 1 the bound is missed)")
