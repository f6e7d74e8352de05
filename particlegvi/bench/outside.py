"""Rivals that need other libraries than the package: a clone of the repository has them in ``benchmarks/rivals``."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from particlegvi.bench.timing import Contender

CLONE = Path(__file__).resolve().parents[2]  # where the package lies in a clone
MODULE = "particlegvi_rivals"


def rivals() -> ModuleType | None:
    """The module ``benchmarks/rivals`` of the clone that this package lies in; None where it lies in no clone.

    Another package named ``benchmarks`` may lie beside an installed one, so ``setup.cfg`` has to be there, too.
    """
    file = CLONE / "benchmarks" / "rivals" / "__init__.py"
    if not file.is_file() or not (CLONE / "setup.cfg").is_file():
        return None
    if MODULE not in sys.modules:
        spec = importlib.util.spec_from_file_location(MODULE, file)
        assert spec is not None and spec.loader is not None
        module = sys.modules[MODULE] = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[MODULE]
            raise
    return sys.modules[MODULE]


def installed(name: str) -> bool:
    """Whether a library can be imported."""
    return importlib.util.find_spec(name) is not None


def contenders(workload: str, quick: bool) -> list[Contender]:
    """The rivals of a workload whose libraries are installed."""
    module = rivals()
    each = module.RIVALS.get(workload, []) if module else []
    return [make(quick) for library, make in each if installed(library)]


def left_out(workloads: Sequence[str]) -> str:
    """A sentence about the rivals of these workloads that cannot be timed here; empty where all can."""
    module = rivals()
    if module is None:
        return (
            "timed beside plain numpy and numba only: the rivals that need JAX, PyTorch or another library are in the "
            "folder benchmarks/rivals of a clone of the repository"
        )
    needed = {library for name in workloads for library, _ in module.RIVALS.get(name, [])}
    names = [title for library, title in module.TITLES.items() if library in needed and not installed(library)]
    return f"rows left out, because they cannot be imported here: {', '.join(names)}" if names else ""
