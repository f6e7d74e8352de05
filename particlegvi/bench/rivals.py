"""Implementations that a user would write instead, in numpy and in naive numba.

Rivals that need other libraries than the package, and the workloads of networks and functions, are in
``benchmarks/rivals``, which only a clone has.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np

from particlegvi.bench.timing import Contender
from particlegvi.contracts import Array, Facts

# grad of the tilted double well (thesis C.7.1), prior N(0, 1), lengthscale 1: the problem of Figure 5.2
Loop = Callable[..., object]  # compiled by numba
CLONE = Path(__file__).resolve().parents[2]  # where the package lies in a clone
MODULE = "particlegvi_rivals"


def numpy_loop(start: Array, steps: int, step_size: float, kl_weight: float, lambda1: float) -> Array:
    """The update as in a notebook: all pairs at once, one numpy Generator."""
    random = np.random.default_rng(0)
    x = start.copy()
    noise = math.sqrt(2.0 * step_size * kl_weight)
    for _ in range(steps):
        drift = 1.5 * (x**3 + x**2 - 2.0 * x)
        if kl_weight > 0.0:
            drift = drift + kl_weight * x
        if lambda1 > 0.0:
            difference = x[:, None] - x[None, :]
            drift = drift - lambda1 * (difference * np.exp(-0.5 * difference**2)).mean(axis=1)
            drift = drift + lambda1 * 0.5 * x * math.sqrt(0.5) * np.exp(-0.25 * x**2)
        x = x - step_size * drift
        if kl_weight > 0.0:
            x = x + noise * random.standard_normal(x.shape)
    return x


def naive_numba() -> tuple[Loop, Loop]:
    """A double loop over pairs, and a loop over steps and particles, both without optimisation."""
    import numba

    @numba.njit(fastmath=True)
    def pairs(x: Array, out: Array) -> Array:
        for i in range(x.size):
            total = 0.0
            for j in range(x.size):
                difference = x[i] - x[j]
                total -= difference * np.exp(-0.5 * difference * difference)
            out[i] = total / x.size
        return out

    @numba.njit(fastmath=True)
    def langevin(x: Array, steps: int, step_size: float, kl_weight: float) -> Array:
        noise = math.sqrt(2.0 * step_size * kl_weight)
        for _ in range(steps):
            for i in range(x.size):
                y = x[i]
                drift = 1.5 * (y**3 + y**2 - 2.0 * y) + kl_weight * y
                x[i] = y - step_size * drift + noise * np.random.normal()
        return x

    return pairs, langevin


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


def workloads() -> dict[str, Callable[[bool], list[Contender]]]:
    """The workloads of networks and functions, which only a clone has."""
    module = rivals()
    return dict(module.WORKLOADS) if module else {}


def checks(say: Callable[[str], None]) -> Facts:
    """The error of the sums and the equality of bytes, which only a clone measures; empty elsewhere."""
    module = rivals()
    return dict(module.checks.made(say)) if module else {}


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
            "timed beside plain numpy and numba only: the rivals that need JAX, PyTorch or another library, and the "
            "workloads of networks and functions, are in the folder benchmarks/rivals of a clone of the repository"
        )
    needed = {library for name in workloads for library, _ in module.RIVALS.get(name, [])}
    names = [title for library, title in module.TITLES.items() if library in needed and not installed(library)]
    return f"rows left out, because they cannot be imported here: {', '.join(names)}" if names else ""
