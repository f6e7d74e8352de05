"""Scenarios: what to simulate, as a TOML file that someone who writes no Python can edit.

``load`` gives the complete settings as plain data and needs nothing but the standard library; ``build`` (in
`building`) makes the loss, the prior and the methods of them; ``run`` (in `running`) simulates.
"""

from __future__ import annotations

from particlegvi.scenario.reading import load, setting
from particlegvi.scenario.writing import text

__all__ = ["load", "setting", "text"]
