"""Scenarios: what to simulate, as a TOML file that someone who writes no Python can edit.

``load`` (`reading`) gives the complete scenario as plain data, ``check`` checks one that was stored, ``text``
(`writing`) writes it, and `catalogue` lists those of the package. Nothing but the standard library is needed here. The
parts of a scenario are made by its kind (`particlegvi.kinds`), and run by `particlegvi.running`.

Names are imported when first used: ``particlegvi list`` needs the catalogue alone.
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
