"""Scenarios: what to simulate, as a TOML file that someone who writes no Python can edit.

``load`` (`reading`) gives the complete scenario as plain data, ``check`` checks one that was stored, ``text``
(`writing`) writes it, and `catalogue` lists those of the package. Nothing but the standard library is needed here. The
parts of a scenario are made by its kind (`particlegvi.kinds`), and run by `particlegvi.running`.
"""

from __future__ import annotations

from particlegvi.scenario.reading import check, decisive, load, setting
from particlegvi.scenario.writing import text

__all__ = ["check", "decisive", "load", "setting", "text"]
