"""Batches: permutations, uniform ones, the same for every grouping of the steps."""

from __future__ import annotations

import numpy as np
import pytest

from particlegvi.engine.networks.batches import Batches


def rows_of(batches, seed, step, particle=0, particles=1):
    rows, starts, counts = batches.of(seed, step, 1, particles)
    return rows[min(particle, len(rows) - 1), starts[0] : starts[0] + counts[0]]


@pytest.mark.parametrize("how", ["epochs", "fresh"])
def test_steps_may_be_asked_for_in_any_groups(how):
    single, many = Batches(53, 10, how), Batches(53, 10, how)
    alone = [rows_of(single, 7, step) for step in range(40)]
    rows, starts, counts = many.of(7, 3, 30, 1)
    for step in range(30):
        assert np.array_equal(rows[0, starts[step] : starts[step] + counts[step]], alone[3 + step])
    assert np.array_equal(rows_of(single, 7, 2), alone[2])
    if how == "epochs":
        assert [len(each) for each in alone[:6]] == [10] * 5 + [3]
        assert np.array_equal(np.sort(np.concatenate(alone[:6])), np.arange(53))
    assert all(len(set(each)) == len(each) for each in alone)


def test_every_row_has_every_place_as_often():
    batches = Batches(6, 6)
    orders = np.array([rows_of(batches, 1, step) for step in range(6000)])
    counts = np.array([[np.sum(orders[:, place] == row) for row in range(6)] for place in range(6)])
    chi_square = np.sum((counts - 1000.0) ** 2 / 1000.0)
    assert chi_square < 52.6  # 25 degrees of freedom, one in a thousand
    pairs = np.sum(orders[:, 0] < orders[:, 1])
    assert abs(pairs - 3000.0) < 4.0 * np.sqrt(1500.0)


def test_particles_may_have_batches_of_their_own():
    own = Batches(30, 5, shared=False)
    each = [rows_of(own, 2, 4, particle, 3) for particle in range(3)]
    assert not np.array_equal(each[0], each[1])
    assert np.array_equal(each[0], rows_of(Batches(30, 5), 2, 4))  # the first one's are the shared ones
