"""The mean time over a barrier: particles of DLE against the exact integral, and Eyring and Kramers at their limit."""

import runpy
from pathlib import Path

import pytest

MODULE = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "crossing_times.py"))


@pytest.mark.thorough
def test_particles_cross_in_the_exact_mean_time():
    mean, error = MODULE["measured"](0.5)
    exact = MODULE["exact"](0.5)
    assert abs(mean - exact) < 4.0 * error + 0.05 * exact  # seen only every five steps, which a crossing may miss
    assert abs(mean - MODULE["exact"](0.4)) > 4.0 * error + 0.05 * exact  # control: another temperature


@pytest.mark.parametrize("barrier", [5, 10, 20, 40])
def test_eyring_and_kramers_are_its_limit(barrier):
    limit = MODULE["eyring_kramers"](1.0, 8.0, -4.0, 1.0 / barrier)
    assert abs(MODULE["exact"](1.0 / barrier) / limit - 1.0) < 0.6 / barrier
