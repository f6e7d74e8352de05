"""A small histogram of a run on the line with its target, for notebooks."""

from __future__ import annotations

import numpy as np

from particlegvi import targets
from particlegvi.contracts import Array, Loss, Method, Prior, Start, Target
from particlegvi.diagnostics.particles import has_bars
from particlegvi.targets.density import AtomicTarget, DensityTarget
from particlegvi.tools import html

BINS = 40


def truth(loss: Loss, method: Method, prior: Prior, start: Start, seed: int) -> Target | None:
    """The target of a run on the line; None if it has no target, or if its loss is a numpy function, which is slow."""
    if loss.term is None or loss.dim != 1:
        return None
    try:
        return targets.target(loss, method, prior, start, seed=seed)
    except ValueError:  # the method has no target
        return None


def histogram(particles: Array, target: Target | None) -> str:
    """Draw bars of the first coordinate of particles (n, dim), and over them a target's density or its atoms."""
    values = particles[np.isfinite(particles[:, 0]), 0]
    if not len(values):
        return ""
    ends = [np.quantile(values, [0.005, 0.995])]
    if isinstance(target, DensityTarget):
        ends.append(np.asarray(target.quantile([0.001, 0.999])))
    elif isinstance(target, AtomicTarget):
        ends.append(target.atoms[:, 0])
    low, high = float(np.min(np.concatenate(ends))), float(np.max(np.concatenate(ends)))
    margin = 0.05 * (high - low) if has_bars(low, high) else 0.5 * max(1.0, abs(low))
    low, high = low - margin, high + margin
    counts, edges = np.histogram(values, BINS, (low, high))
    heights = counts / (len(values) * (edges[1] - edges[0]))
    if isinstance(target, DensityTarget):
        return html.histogram(heights.tolist(), target.pdf(np.linspace(low, high, 101)).tolist())
    stems: list[tuple[float, float]] = []
    if isinstance(target, AtomicTarget):
        most = float(target.weights.max())
        stems = [((float(at) - low) / (high - low), float(weight) / most)
                 for at, weight in zip(target.atoms[:, 0], target.weights, strict=True)]  # fmt: skip
    return html.histogram(heights.tolist(), (), stems[:200])
