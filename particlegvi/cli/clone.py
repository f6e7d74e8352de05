"""The benchmarks, which lie in a clone of the repository beside the package, and not in it."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

CLONE = Path(__file__).resolve().parents[2]  # where the package lies in a clone
MODULE = "particlegvi_benchmarks"


def benchmarks(part: str) -> ModuleType:
    """A module of ``benchmarks/bench`` of the clone that this package lies in; a ValueError where it lies in no clone.

    Another package named ``benchmarks`` may lie beside an installed one, so ``setup.cfg`` has to be there, too.
    """
    file = CLONE / "benchmarks" / "bench" / "__init__.py"
    if not file.is_file() or not (CLONE / "setup.cfg").is_file():
        raise ValueError("bench needs a clone of the repository, whose folder benchmarks has the workloads and rivals")
    if MODULE not in sys.modules:
        spec = importlib.util.spec_from_file_location(MODULE, file)
        assert spec is not None and spec.loader is not None
        module = sys.modules[MODULE] = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[MODULE]
            raise
    return importlib.import_module(f"{MODULE}.{part}")
