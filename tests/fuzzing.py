"""`benchmarks/fuzz.py` as a module: the tests feed the same targets, with fewer inputs."""

from __future__ import annotations

import importlib.util
import sys

from .conftest import ROOT

_specification = importlib.util.spec_from_file_location("particlegvi_fuzz", ROOT / "benchmarks" / "fuzz.py")
assert _specification is not None and _specification.loader is not None
fuzz = importlib.util.module_from_spec(_specification)
sys.modules["particlegvi_fuzz"] = fuzz  # dataclasses and NamedTuples look their module up
_specification.loader.exec_module(fuzz)
