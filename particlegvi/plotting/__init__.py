"""Figures of finished runs, fit for a lecture slide. They read results and simulate nothing.

Every kind of figure is a function marked by `figure_kind`, which takes the checks of its options. These are the
keyword-only parameters, and an entry of ``[[figures]]`` in a scenario may set them. `draw` makes all figures of a
scenario.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from particlegvi.contracts import Facts
from particlegvi.plotting import style as slides
from particlegvi.plotting.kind import FigureKind, check, checked, kinds, options
from particlegvi.plotting.protocols import Results
from particlegvi.plotting.single import plot_run
from particlegvi.plotting.swept import Swept
from particlegvi.tools import objects
from particlegvi.tools.files import place

__all__ = ["check", "draw", "figure", "names", "options", "plot_run", "register"]

register = kinds.register


def names() -> list[str]:
    """The names of all kinds of figure, in alphabetical order."""
    return kinds.names()


def figure(results: Results | Swept, kind: str, **settings: Any) -> Figure:
    """One figure of the results.

    Parameters
    ----------
    results : Results
        Mapping from method labels to runs, with ``scenario``, ``summary`` and ``targets``; or a sweep
        (`particlegvi.sweep`), for the kinds that draw one.
    kind : str
        One of `names()`.
    **settings
        Options of that kind; see `options`. Every kind also takes ``size`` ("16:9", "4:3", "column", or inches such as
        "10x5.6"), ``font_size`` (points), ``palette`` ("light", "dark" or "grey"), ``colours`` (by label),
        ``language``, ``title`` and ``vertical_axis`` ("shared" or "own"); and every kind that draws runs ``methods``,
        the labels of the methods to draw, in this order.

    Returns
    -------
    matplotlib.figure.Figure
        10 by 5.6 inches unless ``size`` is given, with a canvas of its own; it is not registered in pyplot.
    """
    drawn, chosen = checked({"kind": kind, **settings})
    _fit(drawn, results)
    return drawn(results, **chosen)


def _fit(kind: FigureKind, results: object) -> None:
    """Raise a ValueError unless the object is results, or a sweep for a kind that draws sweeps."""
    if "sweep" in kind.of:
        objects.having("results", results, ("over", "seeds"), "a sweep, as particlegvi.sweep gives it")
    else:
        objects.results(results)


def draw(results: Results | Swept, folder: str | Path, style: Facts | None = None) -> list[Path]:
    """Draw every entry of the scenario's ``[[figures]]`` into a folder; all are checked before anything is written.

    The first figure of a kind becomes ``KIND.png``, or has the suffix of its format; further ones are ``KIND-2.png``
    and so on.

    Parameters
    ----------
    results : Results
        From `particlegvi.run`, `load` or `compare`, or a sweep.
    folder : path
        Folder of the pictures; it must exist.
    style : mapping, optional
        Settings of the look; they override those of the scenario and of its entries.

    Returns
    -------
    list of Path
        The pictures written, in the scenario's order.
    """
    if not isinstance(results, Swept):
        objects.results(results)
    folder = place("folder", folder)
    entries = [checked({**entry, **(style or {})}) for entry in results.scenario.get("figures", [])]
    for kind, _ in entries:
        _fit(kind, results)
    written: list[Path] = []
    taken: Counter[str] = Counter()
    for kind, chosen in entries:
        taken[kind.name] += 1
        number = "" if taken[kind.name] == 1 else f"-{taken[kind.name]}"
        name = f"{kind.name}{number}.{kind.look(results, chosen).format}"
        written.append(slides.save(kind(results, **chosen), folder / name))
    return written
