"""The experiment of a step over many workers (`benchmarks/many_workers.py`), with the workers in one process."""

from __future__ import annotations

import numpy as np
import pytest

from .conftest import ROOT
from .sources import script

NUMBER, STEPS = 300_000, 6


def moved(experiment, workers):
    """The digests of the leaves, and the particles, after some steps with this number of workers."""
    at = [w * experiment.LEAVES // workers for w in range(workers + 1)]
    shares = [experiment.Share(NUMBER, a, b) for a, b in zip(at, at[1:], strict=False)]
    for step in range(STEPS):
        experiment.step_of(shares, NUMBER, step)
    return sum(experiment.every(shares, "digest"), []), np.concatenate(experiment.every(shares, "particles"))


@pytest.mark.needs("distributed")
def test_the_number_of_workers_changes_no_byte_and_the_particles_are_those_of_simulate():
    experiment = script(ROOT / "benchmarks" / "many_workers.py")
    digests, particles = moved(experiment, 1)
    for workers in (2, 3, 64):
        assert moved(experiment, workers)[0] == digests, workers
    expected = experiment.own_step(NUMBER, STEPS)
    # The sums of the modes have another order, and so another rounding.
    assert np.abs(particles - expected).max() < 1e-13
    assert np.abs(experiment.start_of(NUMBER, 0, experiment.LEAVES) - expected).max() > 0.1  # they have moved
