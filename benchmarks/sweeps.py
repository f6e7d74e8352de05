"""The cost of a sweep besides its cells: `python benchmarks/sweeps.py [--cells 500] [--nothing 100000]`.

Prints, for a sweep of real cells, the time of a cell with one worker and with two, after their start, and the processor
time of the client; and for a sweep of cells that do nothing, the time and the memory of the client at three sizes.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

import particlegvi as pg
from particlegvi.sweeps import running

SMALL = {
    "name": "small", "particles": 100, "steps": 2000, "step_size": 1e-3, "record_every": 0, "figures": [],
    "loss": "tilted-double-well", "prior": "normal", "methods": {"DLE": {"kl_weight": 1.0}},
}  # fmt: skip
STARTED = 40  # cells after which all processes are under way


def per_cell(cells: int, workers: int) -> tuple[float, float]:
    """Seconds of a cell after the start, and of the client's processor for a cell."""
    arrived: list[tuple[float, int]] = []
    before = time.process_time()
    pg.sweep(SMALL, over={"methods.DLE.kl_weight": "0.5:2:10"}, seeds=cells // 10, workers=workers,
             progress=lambda _, done, __: arrived.append((time.perf_counter(), done)))  # fmt: skip
    spent = time.process_time() - before
    first = next(each for each in arrived if each[1] >= STARTED)
    last = arrived[-1]
    return (last[0] - first[0]) / (last[1] - first[1]), spent / cells


def done_at_once(cell: object) -> dict[str, object]:
    """One and the same result for every cell."""
    row = {"method": "DLE", "w1": 0.25, "w1_floor": [0.1, 0.3], "mean": 0.0, "sd": 1.0}
    return {"status": {"DLE": "finished"}, "rows": [row], "methods": {"DLE": row}}


def nothing(cells: int) -> None:
    """A sweep of so many cells that do nothing, in a folder; its time and the memory of this process."""
    with tempfile.TemporaryDirectory() as folder, patch.object(running, "Worker", lambda: done_at_once):
        begun, used = time.perf_counter(), time.process_time()
        pg.sweep(SMALL, over={"methods.DLE.kl_weight": f"0.5:2:{max(2, cells // 1000)}"}, seeds=1000,
                 out=Path(folder) / "s", progress=None)  # fmt: skip
        spent, processor = time.perf_counter() - begun, time.process_time() - used
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{cells:>9,} cells that do nothing: {spent:6.1f} s ({processor:.1f} s of the processor), {memory:.2f} GB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=500)
    parser.add_argument("--nothing", type=int, default=100_000)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        nothing(options.nothing)
        return
    if options.cells:
        per_cell(50, 1)  # compiles
        for _ in range(3):
            one, _ = per_cell(options.cells, 1)
            two, beside = per_cell(options.cells, 2)
            print(f"a cell: {one * 1e3:.1f} ms by one worker, {two * 1e3:.1f} by two, {2 * two / one:.2f} times half")
            print(f"        {beside * 1e3:.2f} ms of the client's processor for it")
    for share in (10, 2, 1) if options.nothing else ():
        alone = [sys.executable, __file__, "--alone", "--nothing", str(options.nothing // share)]
        subprocess.run(alone, check=True)  # in a process of its own, whose memory is counted


if __name__ == "__main__":
    main()
