"""What checkpoints cost: the same run with the default interval and without any, in turn, as a ratio.

    python benchmarks/checkpoint_overhead.py

Prints for a few runs the seconds of simulating with and without, pair by pair, and the median ratio with its range.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

import particlegvi as pg
from particlegvi.results.keeper import CHECKPOINT_EVERY

NEVER = 1e9
PAIRS = 7
RUNS = {
    "DRLE of Figure 5.2, 300 particles": (
        "global-minimiser", {"steps": 1_500_000, "methods.DE": None, "methods.DLE": None}
    ),
    "DLE in the plane, a million particles": (
        "multimodal",
        {"particles": 1_000_000, "steps": 300, "record_every": 0}
        | {f"methods.{label}": None for label in ("FDGVI", "DE", "DRLE")},
    ),
    "Functions of 200 coefficients, 5000 counts": (
        "poisson-bimodal", {"data.count": 5000, "inducing_points": 200, "steps": 300, "methods.plain": None}
    ),
}  # fmt: skip


def seconds(name: str, settings: dict[str, object], every: float) -> float:
    """Seconds of simulating, checkpoints included and the rest of a run not."""
    with tempfile.TemporaryDirectory() as place:
        results = pg.run(name, out=Path(place) / "run", checkpoint_every=every, **settings)
        return sum(run.info["seconds"] for run in results.values())


def main() -> int:
    worst = 0.0
    for title, (name, settings) in RUNS.items():
        seconds(name, {**settings, "steps": 10}, NEVER)  # compiles
        pairs = [(seconds(name, settings, CHECKPOINT_EVERY), seconds(name, settings, NEVER)) for _ in range(PAIRS)]
        ratios = sorted(with_them / without for with_them, without in pairs)
        middle = statistics.median(ratios)
        worst = max(worst, middle)
        spread = f"{ratios[0] - 1:+.1%} to {ratios[-1] - 1:+.1%}"
        length = statistics.median(without for _, without in pairs)
        print(f"{title}: {length:.1f} s, checkpoints {middle - 1:+.1%} ({spread})")
    return 0 if worst < 1.02 else 1


if __name__ == "__main__":
    sys.exit(main())
