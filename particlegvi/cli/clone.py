"""The benchmarks, which lie in a clone of the repository beside the package, and not in it."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

CLONE = Path(__file__).resolve().parents[2]  # where the package lies in a clone


def benchmarks(part: str) -> ModuleType:
    """A module of ``benchmarks/bench`` of the clone that this package lies in; a ValueError where it lies in no clone.

    Another folder ``benchmarks`` may lie beside an installed package, so ``setup.cfg`` has to be there, too.
    """
    folder = CLONE / "benchmarks"
    if not (folder / "bench" / "__init__.py").is_file() or not (CLONE / "setup.cfg").is_file():
        raise ValueError("bench needs a clone of the repository, whose folder benchmarks has the workloads and rivals")
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    return importlib.import_module(f"bench.{part}")
