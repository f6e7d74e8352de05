"""Checking the figures of a scenario before it runs, and drawing them into its folder afterwards.

Drawing needs matplotlib, which is imported only where a scenario has figures.
"""

from __future__ import annotations

from pathlib import Path

from particlegvi.contracts import Facts, Progress, Scenario
from particlegvi.results import Results
from particlegvi.tools.quoting import as_argument
from particlegvi.tools.stages import tell


def check_figures(scenario: Scenario, style: Facts | None = None) -> None:
    """Refuse, with a ValueError, an entry of ``[[figures]]`` that could not be drawn, before anything is simulated."""
    if scenario["figures"]:
        from particlegvi import plotting

        for figure in scenario["figures"]:
            plotting.check({**figure, **(style or {})}, scenario.get("kind", "particles"))


def draw(results: Results, progress: Progress | None = None, style: Facts | None = None) -> list[Path]:
    """Draw the figures of saved results into their folder, with settings of their look (`plotting.draw`).

    Raises
    ------
    ValueError
        If a figure cannot be drawn; the sentence says how to mend it.
    """
    from particlegvi import plotting

    folder = results.folder
    assert folder is not None
    if results.scenario["figures"]:
        tell(progress, "pictures", total=len(results.scenario["figures"]))
    try:
        return plotting.draw(results, folder, style)
    except ValueError as error:
        mend = f"change [[figures]] in {folder / 'scenario.toml'} and say: particlegvi plot {as_argument(folder)}"
        raise ValueError(f"the results are in {folder}, but a figure cannot be drawn: {error}; {mend}") from None
