"""Which records a film shows, and for how long."""

from __future__ import annotations

import numpy as np
import pytest

from particlegvi.plotting.films import pace
from particlegvi.plotting.moving import clock_of, decimals


def test_half_of_the_frames_show_the_first_tenth():
    times = np.linspace(0.0, 50.0, 100_001)
    found = pace.chosen(times, 121)
    assert found[0] == 0 and found[-1] == 100_000
    assert times[found[60]] == pytest.approx(5.0, abs=1e-3)
    assert np.all(np.diff(times[found], n=2) > -1e-3), "it gets faster and faster"
    even = pace.chosen(times, 121, even=True)
    assert np.allclose(times[even], np.linspace(0.0, 50.0, 121), atol=1e-3)


@pytest.mark.parametrize("records", [2, 3, 20, 119, 120, 121, 200, 5000])
@pytest.mark.parametrize("frames", [2, 3, 17, 120])
def test_every_record_is_shown_once_at_most(records, frames, rng):
    for times in (np.arange(records) * 0.5, np.cumsum(rng.exponential(size=records))):
        for even in (False, True):
            found = pace.chosen(times, frames, even)
            assert len(found) == min(records, frames)
            assert found[0] == 0 and found[-1] == records - 1 and np.all(np.diff(found) > 0)


@pytest.mark.parametrize("seconds", [1.0, 3.0, 8.0, 60.0])
def test_the_frames_last_as_long_as_the_film(seconds):
    for frames in (2, 3, 20):
        found = pace.lengths(frames, seconds)
        assert len(found) == frames and sum(found) == pytest.approx(seconds)
        if seconds >= 4.0 and frames > 2:
            assert found[0] == found[-1] == 1.0


def test_more_than_fifty_frames_a_second_are_refused():
    assert min(pace.lengths(302, 8.0)) >= 0.02 - 1e-12
    with pytest.raises(ValueError, match="^frames must be at most 302 in a film of 8 seconds, not 303$"):
        pace.lengths(303, 8.0)


def test_the_clock_counts_time_and_tells_moments_apart(line, plane):
    clock = clock_of(line)
    assert np.allclose(clock.times, np.arange(41) * 0.1)
    assert [clock.at(moment, 0.1) for moment in (0, 7, 40, -1)] == ["t = 0.0", "t = 0.7", "t = 4", "t = 4"]
    assert clock.records("DE", np.array([0, 7, 40])).tolist() == [0, 7, 40]
    assert clock_of(plane).at(3, 1.0) == "t = 3", "the optimiser of FD-GVI has another time"
    assert clock_of({"FDGVI": plane["FDGVI"]}).at(-1) == "step 200"
    assert [decimals(gap) for gap in (0.1, 0.05, 1.0, 250.0, 1e-4, 0.0)] == [1, 2, 0, 0, 4, 0]


def test_runs_of_other_lengths_are_shown_as_far_on_their_way(line):
    runs = {"DE": line["DE"], "DLE": line["DLE"].at(20)}
    clock = clock_of(runs)
    assert clock.at(10) == "25% of the steps" and clock.at(-1) == "100% of the steps"
    assert clock.records("DLE", np.array([0, 10, 40])).tolist() == [0, 5, 20]
