"""Runs the workloads, and reports the times as a table and as JSON."""

from __future__ import annotations

import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from particlegvi.engine.numerics import threads
from particlegvi.tools.machine import processor
from particlegvi.tools.registry import look_up

from . import checks, rivals, scaling
from .timing import in_turn, ratios

Facts = dict[str, Any]  # values that JSON can hold
ROUNDS = 5


def machine() -> Facts:
    """Facts about the machine and the libraries."""
    import numba

    return {
        "processor": processor(),
        "threads": threads.count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }


def _times(ratio: float) -> str:
    """A ratio in words: with two decimals below 10."""
    return f"{ratio:.2f}" if ratio < 10.0 else f"{ratio:.1f}"


def bench(only: list[str] | None, quick: bool, out: str | None, say: Callable[[str], None] = print) -> None:
    """Measure, print the tables through ``say``, and with ``out`` write ``results.json`` there.

    Where all workloads are measured, so is the cost against the number of particles, drawn as ``scaling.png``; the sums
    are compared with the direct sum, and the bytes of several threads with those of one.
    """
    folder = None if out is None else Path(out)
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"the folder {folder} cannot be used for results: {error.strerror}") from None
    result = run(only, quick, say)
    if only is None:
        numbers = scaling.NUMBERS[:5] if quick else scaling.NUMBERS
        result["scaling"] = {str(dim): scaling.measure(dim, numbers=numbers) for dim in (1, 2, 3)}
    if folder is not None:
        (folder / "results.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8", newline="\n")
        if "scaling" in result:
            scaling.draw(result["scaling"], folder / "scaling.png")
        say(f"\nwritten to {folder}")


def run(names: list[str] | None = None, quick: bool = False, say: Callable[[str], None] = print) -> Facts:
    """Run workloads (all if ``names`` is None), print the tables through ``say``, and return all measurements."""
    known = rivals.WORKLOADS
    chosen = list(known) if names is None else names
    for name in chosen:
        look_up("workload", name, known)
    result: Facts = {"machine": machine(), "quick": quick, "workloads": {}}
    if missing := rivals.left_out(chosen):
        say(missing)
    for name in chosen:
        make = known[name]
        title = (make.__doc__ or name).strip()
        say(f"\n{title}")
        begun = time.perf_counter()
        contenders = make(quick) + rivals.contenders(name, quick)
        in_turn(contenders, 2 if quick else ROUNDS)
        ours = contenders[0]
        rows = []
        for contender in contenders:
            low, middle, high = ratios(contender, ours)
            used = statistics.median(contender.processor)
            row: Facts = {
                "name": contender.name, "seconds": contender.median, "share": contender.share,
                "ratio": middle, "ratio_range": [low, high], "processor_seconds": used,
            }  # fmt: skip
            scaled = f" (from {contender.share:.2%} of it)" if contender.share < 1.0 else ""
            if contender.operations and used > 0.0:
                row["operations"] = contender.operations
                times = used / statistics.median(ours.processor)
                scaled += f"   processor time {times:.1f} x, {1e-9 * contender.operations / used:.1f} useful GFlop/s"
            rows.append(row)
            say(
                f"  {contender.name:28s} {_duration(contender.median):>10s}"
                f"   {_times(middle):>8s} x  [{_times(low)}, {_times(high)}]{scaled}"
            )
        taken = time.perf_counter() - begun
        say(f"  measured in {_duration(taken)}")
        result["workloads"][name] = {"title": title, "rows": rows, "seconds": taken}
    if names is None:
        result |= checks.made(say)
        result["memory"] = memory(say)
    return result


# VmHWM where it exists: the peak that getrusage reports includes that of the parent process.
MILLION = """
import re, resource, sys
import particlegvi as pg
method = pg.methods.DRLE(0.2, 0.3, pg.kernels.SquaredExponential(1.0))
start = pg.priors.Normal([0.0, 0.0], 2.0)
pg.simulate(pg.losses.get("four-gaussians"), method, initial=start, particles=1_000_000, steps=5, step_size=0.01)
try:
    with open("/proc/self/status") as file:
        print(1024 * int(re.search(r"VmHWM:\\s*([0-9]+) kB", file.read())[1]))
except OSError:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


def memory(say: Callable[[str], None]) -> Facts:
    """Peak memory of a process that moves a million particles by DRLE in two dimensions."""
    if sys.platform == "win32":
        return {}
    done = subprocess.run([sys.executable, "-c", MILLION], check=True, capture_output=True, text=True)
    peak = int(done.stdout)
    say(f"\npeak memory, DRLE of 10^6 particles in two dimensions, whole process: {peak / 1e6:.0f} MB")
    return {"drle-plane-million": peak}


def _duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
