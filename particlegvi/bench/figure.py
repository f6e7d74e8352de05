"""The picture of the benchmark: cost of one repulsion against the number of particles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from particlegvi.bench.scaling import Curves

COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v", "P")


def draw_scaling(scaling: dict[str, Curves], path: Path) -> None:
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
                [n for n, _ in points], [seconds for _, seconds in points],
                color=COLOURS[index % 6], marker=MARKERS[index % 6], linewidth=2, label=name,
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
