"""Peak memory and processor seconds of DRLE with many particles on the line, in a process of its own.

    python benchmarks/many_particles.py 1e7

Three steps of Figure 5.2's flow; the start and the end are kept. 10^8 particles take half a minute and 4 GB, and
1.6 GB in a temporary file. (Linux, which tells the peak of a process without that of its parent.)
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import particlegvi as pg


def peak() -> float:
    """Largest memory of this process so far, in GB."""
    return 1.024e-6 * float(re.findall(r"VmHWM:\s*([0-9]+) kB", Path("/proc/self/status").read_text())[0])


def main() -> None:
    number = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**7
    prior, method = pg.priors.Normal(0.0, 1.0), pg.methods.DRLE(1.0, 0.5, pg.kernels.SquaredExponential(1.0))
    for particles in (20_000, number):  # the first compiles
        used = time.process_time()
        pg.simulate(pg.losses.get("tilted-double-well"), method, prior, particles, 3, 1e-4, record_every=0)
        used = time.process_time() - used
        print(f"{particles:.0e} particles, three steps: {used:.2f} s of the processors, peak {peak():.2f} GB")


if __name__ == "__main__":
    main()
