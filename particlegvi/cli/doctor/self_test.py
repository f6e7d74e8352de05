"""A run of a hundred steps whose bits are known: the same on every machine, or something is wrong with it."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from particlegvi import losses, methods, priors
from particlegvi.simulation.loop import simulate

STEPS, PARTICLES = 100, 4
# The final particles of that run: 100 steps of DLE on the loss of Figure 5.2 from N(0, 1), seed 0.
KNOWN = (
    "-0x1.a413dcfc06d42p+0",
    "0x1.5d0e4c7c37c96p-1",
    "0x1.1990dd2ae147dp+0",
    "-0x1.0162bdd0b431cp+0",
)


class Outcome(NamedTuple):
    """The result of the self-test."""

    passed: bool
    found: tuple[str, ...]  # the final particles, as `float.hex` writes them
    expected: tuple[str, ...]
    seconds: float


def self_test(expected: tuple[str, ...] = KNOWN) -> Outcome:
    """Run the hundred steps and compare each bit of the final particles with the numbers in this file."""
    begun = time.perf_counter()
    run = simulate(
        losses.get("tilted-double-well"), methods.DLE(kl_weight=1.0), priors.Normal(0.0, 1.0), PARTICLES, STEPS, 1e-2,
        seed=0, record_every=0,
    )  # fmt: skip
    found = tuple(float(place).hex() for place in np.ravel(run.final))
    return Outcome(found == expected, found, expected, time.perf_counter() - begun)
