"""The standard deviation of f against the weight of W2^2 in Gaussian Wasserstein inference, and that of Bayes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from particlegvi.plotting import reading, style
from particlegvi.plotting.kind import figure_kind
from particlegvi.plotting.layout import frame, observations
from particlegvi.plotting.look import palette, say
from particlegvi.plotting.protocols import FunctionRun, Results

PLACES = (("data", "sd_at_data", "DLE", "o", "-"), ("gaps", "sd_in_gaps", "DE", "s", (0, (5, 1.5))))


@figure_kind("shrinkage", of=("function-space",), runs=reading.of_functions)
def shrinkage(results: Results, runs: Mapping[str, FunctionRun]) -> Figure:
    """The mean sd of f at the data and in the gaps against w2_weight, a point a method, and 1/a of the theory.

    Horizontal lines are those of the methods without a weight: the sparse and the exact process.
    """
    everything = reading.of_functions(results, None)
    facts = {label: reading.facts_of(results, label) for label in everything}
    found = {label: facts[label] for label, run in runs.items() if "shrinkage" in run.info and "bands" in facts[label]}
    if not found:
        raise ValueError("this kind of figure draws scenarios with methods GWI and a known function")
    weights = {label: float(runs[label].info["w2_weight"]) for label in found}
    labels = sorted((label for label in found if weights[label] > 0.0), key=weights.__getitem__)
    at = np.array([weights[label] for label in labels])
    others = [label for label in everything if "shrinkage" not in everything[label].info and "bands" in facts[label]]
    with frame(results, note=observations({label: runs[label] for label in labels}, True)) as (figure, [axes]):
        for place, words, method, marker, dashes in PLACES:
            if all(place in found[label]["bands"] for label in labels):
                sds = [found[label]["bands"][place]["sd"] for label in labels]
                colour = palette().methods[method]
                axes.loglog(at, sds, marker=marker, linestyle=dashes, color=colour, label=say(words))
                for other in others[-1:]:
                    axes.axhline(facts[other]["bands"][place]["sd"], color=colour, linestyle=":", linewidth=1.8,
                                 label=say(f"{words}_of", method=style.plain(other)))  # fmt: skip
        first = next(iter(everything.values()))
        prior = float(np.sqrt(first.problem.kernel.diagonal(first.problem.X[:1])[0]))
        shrunk = prior * np.sqrt([runs[label].info["shrinkage"] for label in labels])
        axes.loglog(at, shrunk, color=palette().ink, linestyle="--", linewidth=1.6, label=say("shrunk_prior"))
        axes.set_xlabel(say("weight_of_w2"))
        axes.set_ylabel(say("sd_of_f"))
    return figure
