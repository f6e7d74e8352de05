"""The cost of jumps: the time of a step with jumps over one without, at three numbers of particles.

    python benchmarks/jumps.py

Runs with and without jumps take turns; the least time of each counts, on the clock and of the processors, which a busy
machine disturbs less.
"""

from __future__ import annotations

import time

import particlegvi as pg

STEPS, ROUNDS, EVERY = 2000, 5, 50
KERNEL = pg.kernels.SquaredExponential(0.7)


def seconds(method: pg.methods.Method, particles: int, steps: int) -> tuple[float, float]:
    loss = pg.Loss.from_formula("0.366*t^4 - 2.419*t^2 + 0.741*t", variables=["t"])
    begun, used = time.perf_counter(), time.process_time()
    pg.simulate(loss, method, pg.priors.Normal(-0.6, 1.6), particles, steps, 2e-3, record_every=0)
    return time.perf_counter() - begun, time.process_time() - used


def main() -> None:
    jumps = pg.jumps.Jumps(every=EVERY)
    pairs = {
        "DLE": (pg.methods.DLE(0.25), pg.methods.DLE(0.25, jumps=jumps)),
        "DRLE": (pg.methods.DRLE(0.25, 0.5, KERNEL), pg.methods.DRLE(0.25, 0.5, KERNEL, jumps=jumps)),
    }
    for name, pair in pairs.items():
        for particles in (300, 5000, 100_000):
            steps = STEPS if particles < 100_000 else 2 * EVERY
            times = [[seconds(method, particles, steps) for method in pair] for _ in range(1 + ROUNDS)][1:]
            plain, jumping = ([min(column) for column in zip(*runs, strict=True)] for runs in zip(*times, strict=True))
            clock, processors = (with_jumps / without for with_jumps, without in zip(jumping, plain, strict=True))
            print(f"{name}, {particles} particles: {clock:.2f} plain steps, {processors:.2f} of the processors' time")


if __name__ == "__main__":
    main()
