"""The default figure and the default file of a film."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from particlegvi.contracts import Facts, Scenario
from particlegvi.plotting.films.animate import able, mover
from particlegvi.plotting.kind import check, kinds


def figure_for(
    scenario: Scenario, figure: str | None, options: Mapping[str, object], usual: Callable[[], str] | None = None
) -> Facts | None:
    """The checked entry of the figure to film: its kind and its options.

    Parameters
    ----------
    scenario : mapping
        A complete scenario, or the description of a comparison.
    figure : str or None
        A kind. None is the first kind among the scenario's figures that can be filmed, or else the ``usual`` one.
    options : mapping
        Options of the figure; the others are those of the scenario's figure of that kind.
    usual : callable, optional
        Returns a kind of figure; without it the result is None if the scenario names no figure.

    Raises
    ------
    ValueError
        If the figure cannot be filmed, or scenarios of this kind cannot.
    """
    sort = scenario.get("kind", "particles")
    if not any(sort in kinds[name].of for name in able()):
        raise ValueError(f"a film shows runs that have records on the way, and a scenario of the kind {sort} has none")
    own = [dict(entry) for entry in scenario.get("figures", [])]
    own = [entry for entry in own if (entry["kind"] in able() if figure is None else entry["kind"] == figure)]
    if figure is None and not own and usual is None:
        return None
    entry: Facts = {**(own[0] if own else {"kind": usual() if figure is None and usual else figure}), **options}
    mover(entry)
    check(entry, sort)
    return entry


def file_beside(folder: Path | None, name: str, figure: str) -> Path:
    """``FIGURE.gif`` in the folder of a run, or ``NAME-FIGURE.gif`` here if there is no folder."""
    return Path(f"{name}-{figure}.gif") if folder is None else folder / f"{figure}.gif"
