"""`benchmarks/fuzzing` as a module: the tests feed the same targets, with fewer inputs."""

import sys

from .conftest import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))
import fuzzing as fuzz  # noqa: F401

sys.path.pop(0)
