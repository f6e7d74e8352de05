"""How long DLE needs to cross a barrier on the line: Eyring and Kramers, the exact mean time, and particles.

    python benchmarks/crossing_times.py

The loss is the well (t^2 - 1)^2 with a flat prior, whose barrier has the height 1. Particles start in the left minimum;
counted is the mean time until they are in the right one. The exact mean time is

    1/kl_weight int_{-1}^{1} exp(V(y)/kl_weight) int_{-inf}^y exp(-V(z)/kl_weight) dz dy.
"""

from __future__ import annotations

import math

import numpy as np

import particlegvi as pg

STEP_SIZE, PARTICLES = 2e-3, 400


def eyring_kramers(height: float, left: float, top: float, kl_weight: float) -> float:
    """2 pi / sqrt(V''(a) |V''(b)|) exp(height / kl_weight) for the curvatures at the minimum and at the maximum."""
    return 2.0 * math.pi / math.sqrt(left * abs(top)) * math.exp(height / kl_weight)


def exact(kl_weight: float) -> float:
    """The mean time from -1 to 1, by the trapezoidal rule."""
    t = np.linspace(-3.0, 1.0, 200_001)
    v = (t**2 - 1.0) ** 2 / kl_weight
    inner = np.concatenate([[0.0], np.cumsum(0.5 * (np.exp(-v)[1:] + np.exp(-v)[:-1]))]) * (t[1] - t[0])
    right = t >= -1.0
    return float(np.trapezoid(np.exp(v[right]) * inner[right], t[right]) / kl_weight)


def measured(kl_weight: float, seed: int = 0) -> tuple[float, float]:
    """The mean time of particles of DLE, and its standard error."""
    loss = pg.Loss.from_formula("(t^2 - 1)^2", variables=["t"])
    start, times = np.full((PARTICLES, 1), -1.0), np.full(PARTICLES, np.nan)
    every, steps, done = 5, int(2.0 * exact(kl_weight) / STEP_SIZE), 0
    while np.isnan(times).any():
        run = pg.simulate(
            loss, pg.methods.DLE(kl_weight), pg.priors.Flat(1), steps=steps, initial=start, step_size=STEP_SIZE,
            record_every=every, seed=seed + done,
        )  # fmt: skip
        there = run.positions[:, :, 0] >= 1.0
        first = np.where(there.any(axis=0), there.argmax(axis=0) * every + done, -1)
        new = np.isnan(times) & (first >= 0)
        times[new] = first[new] * STEP_SIZE
        start, done = run.final, done + steps
    return float(times.mean()), float(times.std(ddof=1) / math.sqrt(PARTICLES))


def main() -> None:
    print("barrier in kl_weight | Eyring-Kramers | exact mean time | particles of DLE")
    for barrier in (2, 3, 4, 5):
        mean, error = measured(1.0 / barrier)
        limit = eyring_kramers(1.0, 8.0, -4.0, 1.0 / barrier)
        print(f"{barrier} | {limit:.1f} | {exact(1.0 / barrier):.1f} | {mean:.1f} +- {error:.1f}")


if __name__ == "__main__":
    main()
