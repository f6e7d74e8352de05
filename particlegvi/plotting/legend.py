"""One legend for all panels of a figure, below them, where it covers nothing."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

NEUTRAL = "#6E6E6E"


def legend_below(figure: Figure) -> None:
    """Collect every label once, in as few rows as fit; what has another colour in every panel is shown in grey."""
    found: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, _neutral(handle, label))
    if "particles" in found:
        found = {"particles": found["particles"], **found}
    for rows in range(1, len(found) + 1):
        columns = -(-len(found) // rows)
        labels = _by_rows(list(found), columns)
        legend = figure.legend([found[label] for label in labels], labels, loc="outside lower center", ncols=columns,
                               columnspacing=1.5, handlelength=1.9, handletextpad=0.6)
        if columns == 1 or legend.get_window_extent().width < 0.985 * figure.bbox.width:
            return
        legend.remove()


def _by_rows(labels: list[str], columns: int) -> list[str]:
    """Reorder for matplotlib, which fills columns from the left, so that the entries read from row to row."""
    rows = -(-len(labels) // columns)
    full = len(labels) - (rows - 1) * columns  # so many columns have an entry in the last row
    order = [row * columns + column for column in range(columns) for row in range(rows if column < full else rows - 1)]
    return [labels[place] for place in order]


def _neutral(handle: Any, label: str) -> Any:
    """The handle as the legend shows it: dots of one size, and grey for the particles of whatever colour."""
    if hasattr(handle, "get_offsets"):
        face, edge = handle.get_facecolor(), handle.get_edgecolor()
        own = (face[0] if len(face) else "none", edge[0] if len(edge) else "none", 9.0)
        grey = {"particles": (NEUTRAL, NEUTRAL, 7.0), "starting points": (NEUTRAL, NEUTRAL, 4.0)}
        inside, around, size = grey.get(label, own)
        return Line2D([], [], marker="o", linestyle="none", markerfacecolor=inside, markeredgecolor=around,
                      markeredgewidth=1.6, markersize=size)
    if label != "particles":
        return handle
    return Line2D([], [], color=NEUTRAL) if isinstance(handle, Line2D) else Patch(color=NEUTRAL, alpha=0.62)
