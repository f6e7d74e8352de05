"""Cost of one repulsion against the number of particles, direct and accelerated, and a picture of it."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import numpy as np

import particlegvi as pg
from particlegvi.contracts import Array
from particlegvi.engine.pairs.algorithm import Algorithm
from particlegvi.engine.pairs.repulsion import suitable

Curves = dict[str, list[list[float]]]  # [[N, seconds], ...] of each algorithm, by its name
NUMBERS = (100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v", "P")
LONGEST = 4.0  # seconds; an exact algorithm that would take longer is left out at larger N


def measure(dim: int, tolerance: float = 1e-12, numbers: tuple[int, ...] = NUMBERS) -> Curves:
    """Seconds of each suitable algorithm for points from Normal(0, 2^2)."""
    kernel = pg.kernels.SquaredExponential(1.0)
    curves: Curves = {}
    for algorithm in suitable(kernel, dim, tolerance):
        points: list[list[float]] = []
        for number in numbers:
            if points and points[-1][1] * (number / points[-1][0]) ** 2 > LONGEST and algorithm.exact:
                break
            x = pg.priors.Normal(np.zeros(dim), 2.0).sample(number)
            out = np.empty_like(x)
            if algorithm.estimate(x) is None:
                continue
            points.append([float(number), _seconds(algorithm, x, out)])
        if points:
            curves[algorithm.name] = points
    return curves


def _seconds(algorithm: Algorithm, x: Array, out: Array) -> float:
    times = []
    for attempt in range(4):
        begun = time.perf_counter()
        estimate = algorithm.estimate(x)
        assert estimate is not None
        algorithm.force(x, estimate[1], 1.0, out)
        if attempt > 0:
            times.append(time.perf_counter() - begun)
        if attempt > 0 and times[-1] > 1.0:
            break
    return statistics.median(times)


def draw(scaling: dict[str, Curves], path: Path) -> None:
    """Draw one panel per dimension, both axes logarithmic; ``scaling`` has the curves by dimension, "1", "2", ...."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 5.6), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, len(scaling), sharey=True, squeeze=False)[0]
    names = list(dict.fromkeys(name for curves in scaling.values() for name in curves))
    for axis, (dim, curves) in zip(axes, scaling.items(), strict=True):
        for name, points in curves.items():
            index = names.index(name)
            axis.plot(
                [n for n, _ in points],
                [seconds for _, seconds in points],
                color=COLOURS[index % 6],
                marker=MARKERS[index % 6],
                linewidth=2,
                label=name,
            )
        axis.set(xscale="log", yscale="log", xlabel="particles N")
        axis.set_title(f"{dim} dimension{'s' if dim != '1' else ''}", fontsize=15)
        axis.grid(True, alpha=0.3)
        axis.tick_params(labelsize=12)
        axis.xaxis.label.set_size(14)
    handles = {line.get_label(): line for axis in axes for line in axis.get_lines()}
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=2, fontsize=12, frameon=False)
    axes[0].set_ylabel("seconds for all N forces", fontsize=14)
    figure.suptitle("Cost of one repulsion, squared-exponential kernel, tolerance 1e-12", fontsize=16)
    figure.savefig(path, metadata={"Software": None})
