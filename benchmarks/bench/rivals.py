"""All workloads by name, and the rivals of each that need a library which the package does not need."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from typing import Any

from . import (
    function_workloads,
    loops,
    network_workloads,
    networks,
    particle_workloads,
    processes,
    published,
    waiting_workloads,
    workloads,
)
from .timing import Contender

MODULES = workloads, particle_workloads, network_workloads, function_workloads, waiting_workloads
WORKLOADS: dict[str, Callable[[bool], list[Contender]]] = {
    each.__name__.replace("_", "-"): each for module in MODULES for each in module.ALL
}
RIVALS: dict[str, Any] = {  # lists of a library and a function that makes the contender
    **loops.RIVALS,
    **networks.RIVALS,
    **published.RIVALS,
    **processes.RIVALS,
}
TITLES = {
    "jax": "JAX", "torch": "PyTorch", "blackjax": "BlackJAX", "sklearn": "scikit-learn", "gpytorch": "GPyTorch",
    "gpflow": "GPflow",
}  # fmt: skip


def installed(name: str) -> bool:
    """Whether a library can be imported."""
    return importlib.util.find_spec(name) is not None


def contenders(workload: str, quick: bool) -> list[Contender]:
    """The rivals of a workload whose libraries are installed."""
    return [make(quick) for library, make in RIVALS.get(workload, []) if installed(library)]


def left_out(names: Sequence[str]) -> str:
    """A sentence about the rivals of these workloads that cannot be timed here; empty where all can."""
    needed = {library for name in names for library, _ in RIVALS.get(name, [])}
    missing = [title for library, title in TITLES.items() if library in needed and not installed(library)]
    return f"rows left out, because they cannot be imported here: {', '.join(missing)}" if missing else ""
