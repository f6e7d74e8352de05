"""KL of function values at sets of inputs, and of the fits that are made with it, by the number of inputs in a set."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from particlegvi.contracts import Facts
from particlegvi.plotting import reading, style
from particlegvi.plotting.functions import colours_of
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import frame, observations, series
from particlegvi.plotting.look import look, palette, say
from particlegvi.plotting.protocols import FunctionRun, Results

LEAST = 1e-4  # nats: a KL that is smaller is drawn here
NARROW = 20.0  # sizes of the smallest letters that a panel needs


@figure_kind("measurement", of=("function-space",), runs=reading.named_runs)
def measurement(results: Results, runs: Mapping[str, FunctionRun]) -> Figure:
    """Left KL to the prior of the values at random sets, and right KL to the posterior, of models BLR with ``sizes``.

    Dashed is KL of the weights to the prior of the exact model, where there is one.
    """
    lines: dict[str, list[Facts]] = {label: run.info["sizes"] for label, run in runs.items() if "sizes" in run.info}
    if not lines:
        raise ValueError("this kind of figure draws scenarios with methods BLR that have the parameter sizes")
    exact = [run.info["kl_to_prior"] for run in runs.values() if run.info.get("kl") == "exact"]
    colours = colours_of(results)
    with frame(results, 2, NARROW, note=observations(runs)) as (figure, [left, right]):
        for place, (label, found) in enumerate(lines.items()):
            kind = series(place, label, colours[label])
            _line(left, found, "kl_at_sets", kind)
            _line(right, found, "kl_to_posterior", kind)
        if exact:
            left.axhline(exact[0], color=palette().ink, linestyle="--", linewidth=1.5, label=say("kl_of_weights"))
        left.set_ylim(bottom=0.0)
        right.set_yscale("log")
        right.axhspan(LEAST / 2.0, LEAST * 1.6, color=palette().gap, linewidth=0.0, zorder=0, label=say("less"))
        right.set_ylim(bottom=LEAST / 2.0)
        for axes, key in ((left, "kl_of_values"), (right, "kl_to_the_posterior")):
            axes.set_xlabel(say("inputs_in_a_set"))
            axes.set_title(style.narrowed(axes, say(key)), color=palette().words)
    return figure


def _line(axes: Axes, found: list[Facts], key: str, kind: Facts) -> None:
    """The finite numbers of a method, none below `LEAST`."""
    pairs = [(each["points"], max(each[key], LEAST)) for each in found if not isinstance(each[key], str)]
    if pairs:
        at, values = np.array(pairs).T
        axes.plot(at, values, linewidth=1.8 * look().scale, **kind)
