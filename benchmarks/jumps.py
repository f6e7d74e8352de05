"""The cost of jumps: the time of a step with jumps over one without, at three numbers of particles, on one thread.

    python benchmarks/jumps.py

Steps with and without jumps take turns; the median of their ratios counts, by processor time, which a busy machine
disturbs little. A second thread shares the plain steps of a few hundred particles, but no jumps: to wake it costs as
much as the steps between two jumps.
"""

from __future__ import annotations

import statistics
import time

from bench.timing import thread_count

import particlegvi as pg
from particlegvi.contracts import Flow
from particlegvi.methods.flow import ParticleProblem

ROUNDS, EVERY = 41, 50
KERNEL = pg.kernels.SquaredExponential(0.7)
LOSS = pg.Loss.from_formula("0.366*t^4 - 2.419*t^2 + 0.741*t", variables=["t"])
PRIOR = pg.priors.Normal(-0.6, 1.6)


def flow(method: pg.methods.Method, particles: int) -> Flow:
    """The flow of a method, its code compiled and its particles on their way."""
    start = PRIOR.sample(particles, 0)
    problem = ParticleProblem(LOSS, PRIOR, start, 10**6, 2e-3, 0, "euler-maruyama", 1e-12)
    made = method.flow(problem)
    made.advance(0, 20 * EVERY)
    return made


def main() -> None:
    jumps = pg.jumps.Jumps(every=EVERY)
    pairs = {
        "DLE": (pg.methods.DLE(0.25), pg.methods.DLE(0.25, jumps=jumps)),
        "DRLE": (pg.methods.DRLE(0.25, 0.5, KERNEL), pg.methods.DRLE(0.25, 0.5, KERNEL, jumps=jumps)),
    }
    for name, methods in pairs.items():
        for particles, blocks in ((300, 100), (5000, 10), (100_000, 1)):
            flows = [flow(method, particles) for method in methods]
            times: list[list[float]] = []
            for turn in range(ROUNDS):
                times.append([])
                for each in flows:
                    used = time.process_time()
                    each.advance((20 + turn * blocks) * EVERY, blocks * EVERY)
                    times[-1].append((time.process_time() - used) / blocks * 1e6)
            plain, jumping = (statistics.median(column) for column in zip(*times, strict=True))
            ratio = statistics.median(with_jumps / without for without, with_jumps in times)
            microseconds = f"{plain:.0f} and {jumping:.0f} us for {EVERY} steps"
            print(f"{name}, {particles} particles: {ratio:.2f} plain steps ({microseconds})")


if __name__ == "__main__":
    with thread_count(1):
        main()
