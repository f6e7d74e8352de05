"""The two ways to accept jumps of particles that interact, against each other and against plain loops."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.jumps.ensemble import EnsembleJumps
from particlegvi.engine.jumps.line import MARGIN, NEW
from particlegvi.engine.jumps.moments import series_cutoffs
from particlegvi.engine.jumps.proposals import accept_direct


def plain(kernel, x, mine, new, margin, factor):
    """As the compiled ways, by loops of numpy; x (N, dim) is moved."""
    taken = 0
    for place, particle in enumerate(mine):
        rest = np.delete(x, particle, axis=0)
        change = sum(
            sign * sum(kernel.value(r2) for r2 in ((rest - at) ** 2).sum(axis=1))
            for sign, at in ((1.0, new[place]), (-1.0, x[particle]))
        )
        if margin[place] > factor * change:
            x[particle] = new[place]
            taken += 1
    return taken


def problem(dim, number=37):
    rng = np.random.default_rng(dim)
    x, mine = 2.0 * rng.standard_normal((number, dim)), rng.permutation(number)[:20]
    new, margin = 2.0 * rng.standard_normal((20, dim)), rng.standard_normal(20)
    margin[3] = -np.inf
    return x, mine, new, margin


@pytest.mark.parametrize(
    ("kernel", "dim"),
    [
        (pg.kernels.SquaredExponential(0.7, variance=1.4), 1),
        (pg.kernels.Matern32(0.7), 2),
        (pg.kernels.InverseMultiquadric(0.7), 5),
    ],
)
def test_the_direct_sum_is_that_of_plain_loops(kernel, dim):
    x, mine, new, margin = problem(dim)
    expected = x.copy()
    number = plain(kernel, expected, mine, new, margin, 0.4)
    columns = np.ascontiguousarray(x.T)
    assert accept_direct(kernel, columns, mine, new, margin, 0.4) == number
    assert 3 < number < 19
    assert np.array_equal(columns.T, expected)


# with a factor of 0.4 nearly every decision needs those before it in its block, with 0.002 about one in twenty
@pytest.mark.thorough
@pytest.mark.parametrize(
    ("number", "scale", "factor"),
    [(37, 0.3, 0.4), (500, 0.3, 0.4), (1100, 0.3, 0.002), (1100, 0.02, 0.4), (2, 1e-4, 0.4)],
)
def test_the_series_takes_the_same_particles(number, scale, factor):
    kernel = pg.kernels.SquaredExponential(scale, variance=1.4)
    x, _, new, margin = problem(1, number)
    jumps = EnsembleJumps(
        pg.losses.get("double-well"), pg.priors.Normal(), None, kernel, kl_weight=1.0, lambda1=factor * number,
        share=0.1, tolerance=1e-12, seed=0, particles=number,
    )  # fmt: skip
    line, moved, expected = jumps.line, x[:, 0].copy(), x.copy()
    for side in (0, 1):
        line.propose(moved, side, 7, settle=False)
        places = line.places(side)
        for i, place in enumerate(places):
            if i < 20:
                line.rows[NEW, place], line.rows[MARGIN, place] = new[i, 0], margin[i]
        mine, proposals = line.members[0, places], line.rows[NEW, places][:, None]
        taken = plain(kernel, expected, mine, proposals, line.rows[MARGIN, places], factor)
        assert jumps._settle(line, moved, side) == taken
        assert np.array_equal(moved, expected[:, 0])
    assert (line._box[0] > 0.0) == (scale > 1e-3)  # else the sum itself was cheaper


@pytest.mark.parametrize("tolerance", [1e-4, 1e-10])
def test_the_series_keeps_its_bound(tolerance):
    reach, band = series_cutoffs(tolerance)
    width = 9.0  # of the box, in lengthscales
    period = width + reach
    modes = int(np.ceil(band * period / (2.0 * np.pi)))
    r, m = np.linspace(0.0, width, 4001), np.arange(1, modes + 1)[:, None]
    a0 = np.sqrt(2.0 * np.pi) / period
    w = 2.0 * np.pi * m / period
    series = a0 + np.sum(2.0 * a0 * np.exp(-0.5 * w**2) * np.cos(w * r), axis=0)
    error = np.max(np.abs(series - np.exp(-0.5 * r**2)))
    assert error <= tolerance
    fewer = a0 + np.sum((2.0 * a0 * np.exp(-0.5 * w**2) * np.cos(w * r))[: modes * 2 // 3], axis=0)
    assert np.max(np.abs(fewer - np.exp(-0.5 * r**2))) > tolerance
