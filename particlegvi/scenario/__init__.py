"""Scenarios: the description of a simulation, as a TOML file that someone who writes no Python can edit.

``load`` (`reading`) returns the complete scenario as plain data, ``check`` checks a stored scenario, ``text`` writes
it, and `catalogue` lists the scenarios of the package. This file needs the standard library only. A scenario's kind
(`particlegvi.scenario.kinds`) makes its parts, and `particlegvi.runs` runs them.

Names are imported when first used: ``particlegvi list`` needs the catalogue only.
"""

from particlegvi.tools.lazy import attach

__getattr__, __all__ = attach(__name__)
