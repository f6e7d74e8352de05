"""Proposals on the line: their density by its definition; what decides of them. `test_invariance` sees the draws."""

import numpy as np
import pytest
from scipy import stats

import particlegvi as pg
from particlegvi.engine.jumps import line as stages
from particlegvi.engine.jumps import tabulated
from particlegvi.engine.jumps.ensemble import EnsembleJumps
from particlegvi.engine.jumps.line import MARGIN, NEW
from particlegvi.engine.jumps.moments import series_cutoffs
from particlegvi.engine.jumps.proposals import accept_direct

PRIORS = {"normal": pg.priors.Normal(0.3, 1.4), "box": pg.priors.Uniform(-4.0, 5.0), "flat": pg.priors.Flat(1)}


def jumps_of(prior, particles, share=0.3, seed=3):
    loss = pg.losses.get("double-well")
    return EnsembleJumps(
        loss, prior, None, None, kl_weight=1.0, lambda1=0.0, share=share, tolerance=1e-12, seed=seed,
        particles=particles,
    )  # fmt: skip


def oracle(line, x, side, prior, share, at):
    """g by its definition: a sum over the particles of the other half and their two nodes; b by scipy."""
    other = x[np.setdiff1d(np.arange(x.size), line.members[0, line.places(side)])]
    low, h = line._numbers[tabulated.LOW], 1.0 / line._numbers[tabulated.INVERSE]
    position = (other - low) / h
    nodes = np.floor(position)
    part = position - nodes
    hat = lambda t: np.maximum(0.0, 1.0 - np.abs((at[:, None] - t) / h)) / h
    mixture = (1.0 - part) * hat(low + nodes * h) + part * hat(low + (nodes + 1.0) * h)
    broad = {
        "normal": lambda: stats.norm(0.3, 1.4),
        "uniform": lambda: stats.uniform(-4.0, 9.0),
        "flat": lambda: stats.t(2.0, other.mean(), other.std()),
    }[prior.name]()
    return (1.0 - share) * mixture.mean(axis=1) + share * broad.pdf(at)


@pytest.mark.parametrize("name", PRIORS)
@pytest.mark.parametrize("particles", [12, 1300])
@pytest.mark.thorough
def test_the_ratio_is_that_of_the_definition(name, particles):
    rng = np.random.default_rng(particles)
    x = np.where(rng.random(particles) < 0.3, -2.0, 3.0) + 0.1 * rng.standard_normal(particles)
    line = jumps_of(PRIORS[name], particles).line
    for side in (0, 1):
        line.propose(x, side, 5)
        places = line.places(side)
        old, new, found = (line.rows[row, places] for row in (stages.OLD, stages.NEW, stages.MARGIN))
        assert np.array_equal(old, x[line.members[0, places]])
        g = [oracle(line, x, side, PRIORS[name], 0.3, at) for at in (old, new)]
        expected = np.log(g[0] / g[1]) - np.log(line.rows[stages.UNIFORM, places])
        inside = np.isfinite(found)
        assert inside.sum() > 0.9 * len(places) or name == "flat"
        np.testing.assert_allclose(found[inside], expected[inside], rtol=0, atol=1e-9)


def test_a_group_is_cut_as_all_are():
    jumps = jumps_of(PRIORS["normal"], 3000)
    how = (jumps._fixed, jumps.share, 0.2, jumps.walls)
    line = type(jumps.line)(3000, *how, potential=jumps.line._potential, key=jumps._key)
    x = np.random.default_rng(1).standard_normal(3000)
    line.propose(x, 0, 4)
    rest = 3000 - line.proposed(0) - line.proposed(1)
    assert abs(rest - 2400) < 4.0 * np.sqrt(3000 * 0.16)
    half = line.members[0, line.places(1)]
    others = [line.members[1, s * 512 + 512 - n : s * 512 + 512] for s, n in enumerate(line.counts[1, 1])]
    assert sorted(line._centres[: int(line._numbers[tabulated.MEMBERS])]) == sorted(x[np.concatenate([half, *others])])


@pytest.mark.parametrize("spread", [0.0, 1e-14, 1e12])
def test_tight_and_wide_ensembles_propose(spread):
    x = 0.5 + spread * np.linspace(0.0, 1.0, 40)
    line = jumps_of(PRIORS["normal"], 40).line
    line.propose(x, 0, 4)
    assert np.isfinite(line.rows[[stages.OLD, stages.NEW, stages.MARGIN]][:, line.places(0)]).all()


def test_particles_far_from_the_broad_part_can_leave():
    """Where g(old) is too small for a number its logarithm still counts."""
    x = np.linspace(-1.0, 1.0, 40)
    jumps = jumps_of(pg.priors.Normal(0.0, 0.01), 40)
    line = jumps.line
    line.propose(x, 0, 4)
    alone = line.members[0, line.places(0)][3]
    x[alone] = 500.0
    line.propose(x, 0, 4)
    margin = line.rows[stages.MARGIN, line.places(0)][3]
    assert np.isfinite(margin) and margin < -1e8


@pytest.mark.thorough
def test_jumps_between_compiled_steps_are_those_of_the_stages():
    class InStages(EnsembleJumps):
        """Of another class, which may have stages of its own."""

    class Other(pg.methods.DLE):
        kind_of_jumps = InStages

    def run(method):
        loss, prior = pg.losses.get("double-well"), pg.priors.Normal()
        return pg.simulate(loss, method(0.2, jumps={"every": 7}), prior, 300, 100, 0.01)

    together, stepwise = run(pg.methods.DLE), run(Other)
    assert np.array_equal(together.positions, stepwise.positions)
    assert together.info["jumps"] == stepwise.info["jumps"] and together.info["jumps"]["accepted"] > 300


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
        line.propose(moved, side, 7)
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
