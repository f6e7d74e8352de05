"""Coefficients on a schedule, block by block, against the integrator asked for one step at a time."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.integrators.stepping import BLOCK, Steppings

STIFFNESS = np.array([0.0, 3.0])


@pytest.mark.parametrize("name", pg.integrators.names())
def test_every_step_has_the_coefficients_of_its_size(name):
    integrator, schedule = pg.integrators.get(name), pg.schedules.Geometric(0.1, 0.01, 2000.0)
    steppings = Steppings(integrator, schedule, 0.7, STIFFNESS)
    step, end, rows = BLOCK - 3, 2 * BLOCK + 2, 0
    while step < end:
        (gain, now, following), count = steppings(step, end - step)
        assert gain.shape == now.shape == following.shape == (count, 2) and gain.flags.c_contiguous
        for row in range(count):
            size, later = schedule.at(np.array([step + row, step + row + 1]))
            alone, after = (integrator(float(h), 0.7, STIFFNESS) for h in (size, later))
            np.testing.assert_allclose(gain[row], alone.gain, rtol=1e-15)
            np.testing.assert_allclose(now[row], alone.noise_now, rtol=1e-15)
            np.testing.assert_allclose(following[row], after.noise_next, rtol=1e-15)
        step, rows = step + count, rows + count
    assert rows == BLOCK + 5  # over the ends of two blocks


def test_a_number_is_one_row_for_all_steps():
    steppings = Steppings(pg.integrators.get("leimkuhler-matthews"), 0.1, 0.7, STIFFNESS)
    stepping, count = steppings(10**12, 5)
    assert count == 5 and stepping.gain.shape == (1, 2)
    assert steppings(0, 10**12)[1] == 10**12
