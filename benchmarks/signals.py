"""How long a run takes to be gone after Ctrl-C or SIGTERM, its checkpoint and the line that resumes included.

    python benchmarks/signals.py

Exits with 1 unless every process left with 130 or 143, within a second, and said how to go on.
"""

from __future__ import annotations

import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIGNALS = (signal.SIGINT, signal.SIGTERM) * 4
RUNS = {
    "particles": ["lifting", "--set", "steps=1000000000"],
    "a fit of functions": ["poisson-bimodal", "--set", "steps=100000000"],
    "replicates": ["repulsion-pays", "--set", "replicates=10000"],
}


def answer(command: list[str], number: int) -> tuple[float, bool]:
    """Seconds from the signal to the end of a run that has begun to make steps, and whether it ended as it should."""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "run"
        process = subprocess.Popen(
            [sys.executable, "-m", "particlegvi", "run", *command, "--out", str(out), "--quiet", "--no-figure",
             "--checkpoint-every", "0.1"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # which a shell may have told us to ignore
        )  # fmt: skip
        while process.poll() is None and not [*out.glob("arrays/*.growing.npy"), *out.glob("checkpoint.npz")]:
            time.sleep(0.02)
        time.sleep(0.3)
        begun = time.perf_counter()
        process.send_signal(number)
        words = process.communicate()[1]
        seconds = time.perf_counter() - begun
    return seconds, process.returncode == 128 + number and "particlegvi resume" in words and seconds < 1.0


def main() -> int:
    good = True
    for title, command in RUNS.items():
        seconds, ended = zip(*(answer(command, number) for number in SIGNALS), strict=True)
        good = good and all(ended)
        print(f"{title}: {statistics.median(seconds):.2f} s, at most {max(seconds):.2f}; {sum(ended)} of {len(ended)}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
