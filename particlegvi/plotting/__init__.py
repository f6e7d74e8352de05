"""Figures of finished runs, fit for a lecture slide. They read results and simulate nothing.

Every kind of figure is one file with a function marked by `figure_kind`; its keyword-only parameters are the options
that an entry of ``[[figures]]`` in a scenario may set. `draw` makes all figures of a scenario.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from particlegvi.plotting import style
from particlegvi.plotting.kind import check, kinds, options
from particlegvi.plotting.single import plot_run
from particlegvi.tools import parts
from particlegvi.tools.files import place

__all__ = ["check", "draw", "figure", "names", "options", "plot_run"]

RESULTS = "what particlegvi.run or particlegvi.load gives"


def names() -> list[str]:
    """The kinds of figure there are."""
    return kinds.names()


def figure(results: Any, kind: str, **settings: Any) -> Figure:
    """One figure of the results.

    Parameters
    ----------
    results : Results
        Mapping from method labels to runs, with ``scenario``, ``summary`` and ``targets``.
    kind : str
        One of `names()`.
    **settings
        Options of that kind; see `options`.

    Returns
    -------
    matplotlib.figure.Figure
        Of 10 by 5.6 inches, with a canvas of its own; pyplot knows nothing of it.

    Raises
    ------
    ValueError
        If the kind or an option does not exist, or the kind cannot draw these results.
    """
    check({"kind": kind, **settings})
    parts.part("results", results, ("items", "scenario"), RESULTS)
    return kinds[kind](results, **settings)


def draw(results: Any, folder: str | Path) -> list[Path]:
    """Draw every entry of the scenario's ``[[figures]]`` into a folder.

    The first figure of a kind becomes ``KIND.png``, further ones ``KIND-2.png`` and so on.

    Parameters
    ----------
    results : Results
        See `figure`.
    folder : path
        Where the pictures go; it must exist.

    Returns
    -------
    list of Path
        The pictures written, in the scenario's order.

    Raises
    ------
    ValueError
        If an entry asks for something that does not exist; nothing is written then.
    """
    parts.part("results", results, ("items", "scenario"), RESULTS)
    folder = place("folder", folder)
    specifications = [dict(entry) for entry in results.scenario.get("figures", [])]
    for entry in specifications:
        check(entry)
    written: list[Path] = []
    taken: dict[str, int] = {}
    for entry in specifications:
        kind = entry.pop("kind")
        taken[kind] = taken.get(kind, 0) + 1
        name = kind if taken[kind] == 1 else f"{kind}-{taken[kind]}"
        written.append(style.save(figure(results, kind, **entry), folder / f"{name}.png"))
    return written
