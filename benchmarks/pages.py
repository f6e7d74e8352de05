"""Seconds and bytes of pages and films, each by a command in a process of its own, after one that is not counted.

    python benchmarks/pages.py [--repeats 5]

Prints the page of ``global-minimiser`` (asked: under 1 s and 200 kB), the replay of a run of it and of one of
``multimodal`` with 120 frames (under 500 kB), and films of both with 120 frames (at most 20 s).
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUN = ("--set", "steps=2000", "--set", "record_every=5", "--quiet", "--no-figure")
ASKED = {"page": "under 1 s and 200,000 bytes", "replay": "under 500,000 bytes", "film": "at most 20 s"}


def command(*words: str, folder: Path) -> float:
    """Seconds of a command of the package."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-m", "particlegvi", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def measured(kind: str, words: tuple[str, ...], out: str, folder: Path, repeats: int) -> None:
    """Print the median of some times of a command, which writes ``out``, and its bytes."""
    write = (*words, "--overwrite", "--out", out)
    command(*write, folder=folder)
    times = [command(*write, folder=folder) for _ in range(repeats)]
    contents = {(folder / out).read_bytes()}
    command(*write, folder=folder)
    contents.add((folder / out).read_bytes())
    took = f"median {statistics.median(times):6.2f} s ({min(times):.2f} to {max(times):.2f})"
    same = "the same bytes again" if len(contents) == 1 else "OTHER BYTES AGAIN"
    print(f"{out:32} {took}, {(folder / out).stat().st_size:9,} bytes, {same} (asked: {ASKED[kind]})", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5, help="of each page; films are made once")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measured("page", ("page", "global-minimiser"), "global-minimiser.html", folder, options.repeats)
        for scenario in ("global-minimiser", "multimodal"):
            command("run", scenario, *RUN, "--out", f"run-{scenario}", folder=folder)
            measured("replay", ("page", f"run-{scenario}"), f"replay-{scenario}.html", folder, options.repeats)
            film = ("animate", f"run-{scenario}", "--frames", "120", "--quiet")
            measured("film", film, f"film-{scenario}.gif", folder, 1)


if __name__ == "__main__":
    main()
