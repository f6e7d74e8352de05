"""The displacement of a network by interaction, gradient and noise, against the weight of the repulsion."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from particlegvi.plotting import reading, rules
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import frame
from particlegvi.plotting.look import palette, say
from particlegvi.plotting.protocols import Results, Runs

CURVES = (
    ("gradient", "moved_by_gradient", "DLE", "o"),  # in the colours of these methods
    ("noise", "moved_by_noise", "", "s"),
    ("interaction", "moved_by_interaction", "DE", "D"),
)


@figure_kind("displacement", of=("networks",), runs=reading.named_runs, mark=rules.number(above=0.0))
def displacement(results: Results, runs: Runs, *, mark: float | None = None) -> Figure:
    """Three curves over mmd_weight, one point for each method with repulsion, on two logarithmic axes.

    Parameters
    ----------
    mark : float, optional
        A weight that is marked with a line: the thesis's.
    """
    facts = {label: reading.facts_of(results, label) for label in runs}
    found = {label: each["displacement"] for label, each in facts.items() if "displacement" in each}
    weights = {label: float(facts[label]["weights"]["mmd_weight"]) for label in found}
    labels = sorted((label for label in found if weights[label] > 0.0), key=weights.__getitem__)
    if not labels:
        raise ValueError("this kind of figure draws networks with repulsion, of which there are none")
    at = np.array([weights[label] for label in labels])
    with frame(results, runs={label: runs[label] for label in labels}) as (figure, [axes]):
        for key, words, method, marker in CURVES:
            values = np.array([found[label][key] for label in labels])
            if np.any(values > 0.0):
                axes.loglog(at, np.where(values > 0.0, values, np.nan), marker=marker, label=say(words),
                            color=palette().methods.get(method, palette().faint))
        size = float(np.mean([found[label]["size"] for label in labels]))
        axes.axhline(size, color=palette().words, linestyle="--", linewidth=1.5, label=say("length_of_parameters"))
        if mark is not None:
            axes.axvline(mark, color=palette().words, linestyle=":", linewidth=1.8, label=say("weight_of_thesis"))
        axes.set_xlabel(say("weight_of_repulsion"))
        axes.set_ylabel(say("moved"))
    return figure
