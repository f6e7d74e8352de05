"""The cost of checkpoints: one run with the default interval and without any.

    python benchmarks/checkpoint_overhead.py

Prints for a few runs of several seconds the share of the run that its checkpoints took, timed inside, which other
programs disturb little; and the ratio of the shortest run with checkpoints to the shortest without, taken in turn.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

import particlegvi as pg
from particlegvi.runs.storage.checkpoint import FolderStorage
from particlegvi.simulation.storage import CHECKPOINT_EVERY

NEVER = 1e9
PAIRS = 2
RUNS = {
    "DRLE of Figure 5.2, 300 particles": (
        "global-minimiser", {"steps": 4_000_000, "methods.DE": None, "methods.DLE": None}
    ),
    "DLE in the plane, a million particles": (
        "multimodal",
        {"particles": 1_000_000, "steps": 1500, "record_every": 0}
        | {f"methods.{label}": None for label in ("FDGVI", "DE", "DRLE")},
    ),
    "Functions of 200 coefficients, 5000 counts": (
        "poisson-bimodal", {"data.count": 5000, "inducing_points": 200, "steps": 3000, "methods.plain": None}
    ),
}  # fmt: skip


def measured(name: str, settings: dict[str, object], every: float) -> tuple[float, list[float]]:
    """Seconds of simulating, checkpoints included and the rest of a run not; and those of each checkpoint."""
    taken: list[float] = []
    save = FolderStorage.save

    def timed(*arguments: object) -> None:
        begun = time.perf_counter()
        save(*arguments)  # type: ignore[arg-type]
        taken.append(time.perf_counter() - begun)

    FolderStorage.save = timed  # type: ignore[method-assign]
    try:
        with tempfile.TemporaryDirectory() as place:
            results = pg.run(name, out=Path(place) / "run", checkpoint_every=every, **settings)
            return sum(run.info["seconds"] for run in results.values()), taken
    finally:
        FolderStorage.save = save  # type: ignore[method-assign]


def main() -> int:
    worst = 0.0
    for title, (name, settings) in RUNS.items():
        measured(name, {**settings, "steps": 10}, NEVER)  # compiles
        pairs = [(measured(name, settings, CHECKPOINT_EVERY), measured(name, settings, NEVER)) for _ in range(PAIRS)]
        share = statistics.median(sum(taken) / length for (length, taken), _ in pairs)
        ratio = min(length for (length, _), _ in pairs) / min(length for _, (length, _) in pairs)
        length, taken = pairs[0][0]
        words = f"{len(taken)} checkpoints took {share:.2%} of it; shortest with / without {ratio:.3f}"
        print(f"{title}: {length:.1f} s, {words}", flush=True)
        worst = max(worst, share)
    return 0 if worst < 0.02 else 1


if __name__ == "__main__":
    sys.exit(main())
