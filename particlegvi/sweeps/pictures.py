"""The pictures of a sweep, drawn into its folder. matplotlib is imported only here."""

from __future__ import annotations

from pathlib import Path

from particlegvi.contracts import Facts
from particlegvi.sweeps.sweep import Sweep

MOST_KEYS = 4  # of lines: a panel each


def draw(sweep: Sweep, folder: Path, style: Facts) -> list[Path]:
    """``heat-map.png`` where two keys are swept, ``lines.png`` where one is or a few are; the pictures drawn."""
    if not 1 <= len(sweep.over) <= MOST_KEYS or not sweep.measures:
        return []
    from particlegvi.plotting.style import save

    return [save(sweep.plot(**style), folder / f"{sweep.usual}.{style.get('format', 'png')}")]
