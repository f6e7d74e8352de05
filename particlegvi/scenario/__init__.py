"""Scenarios: the description of a simulation, as a TOML file that someone who writes no Python can edit.

``load`` (`reading`) returns the complete scenario as plain data, ``check`` checks a stored scenario, ``text``
(`writing`) writes it, and `catalogue` lists the scenarios of the package. This file needs the standard library only. A
scenario's kind (`particlegvi.scenario.kinds`) makes its parts, and `particlegvi.runs` runs them.

Names are imported when first used: ``particlegvi list`` needs the catalogue only.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as in typing, which would take longer to import than the catalogue
if TYPE_CHECKING:
    from typing import Any

    from particlegvi.scenario.reading import check, decisive, load, setting
    from particlegvi.scenario.writing import text

__all__ = ["check", "decisive", "load", "setting", "text"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{'writing' if name == 'text' else 'reading'}"), name)
