"""The figure of a film, and the file it goes to, where they are not named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from particlegvi.contracts import Facts, Scenario
from particlegvi.films.animate import able, mover
from particlegvi.plotting.kind import check, kinds


def figure_for(
    scenario: Scenario, figure: str | None, options: Mapping[str, object], usual: Callable[[], str] | None = None
) -> Facts | None:
    """The entry of the figure that is filmed, checked: its kind and its options.

    Parameters
    ----------
    scenario : mapping
        A complete scenario, or what a comparison says of itself.
    figure : str or None
        A kind. None is the first kind among the scenario's figures that can be filmed, or else the ``usual`` one.
    options : mapping
        Of the figure; the others are those of the scenario's own figure of that kind.
    usual : callable, optional
        Names a kind of figure; without it the result is None where the scenario does not name one.

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
    """``FIGURE.gif`` in the folder of a run, and ``NAME-FIGURE.gif`` here where it has none."""
    return Path(f"{name}-{figure}.gif") if folder is None else folder / f"{figure}.gif"
