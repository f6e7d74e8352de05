"""The experiment of a step over many workers (`benchmarks/many_workers.py`), with the workers in one process."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

NUMBER, STEPS = 300_000, 6


@pytest.fixture(scope="module")
def script():
    pytest.importorskip("distributed")
    folder = str(Path(__file__).resolve().parent.parent / "benchmarks")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("many_workers")
    finally:
        sys.path.remove(folder)


def moved(script, workers):
    """The digests of the leaves, and the particles, after some steps with this number of workers."""
    at = [w * script.LEAVES // workers for w in range(workers + 1)]
    shares = [script.Share(NUMBER, a, b) for a, b in zip(at, at[1:], strict=False)]
    for step in range(STEPS):
        script.step_of(shares, NUMBER, step)
    return sum(script.every(shares, "digest"), []), np.concatenate(script.every(shares, "particles"))


@pytest.mark.needs("distributed")
def test_the_number_of_workers_changes_no_byte_and_the_particles_are_those_of_simulate(script):
    digests, particles = moved(script, 1)
    for workers in (2, 3, 64):
        assert moved(script, workers)[0] == digests, workers
    expected = script.own_step(NUMBER, STEPS)
    # The sums of the modes have another order, and so another rounding.
    assert np.abs(particles - expected).max() < 1e-13
    assert np.abs(script.start_of(NUMBER, 0, script.LEAVES) - expected).max() > 0.1  # they have moved
