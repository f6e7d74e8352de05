"""Proposals on the line: the density that is evaluated is the one that is drawn from, and it is a density."""

import numpy as np
import pytest
from scipy import stats

import particlegvi as pg
from particlegvi.engine.jumps import line as stages
from particlegvi.engine.jumps import tabulated
from particlegvi.engine.jumps.ensemble import EnsembleJumps

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
        line.propose(x, side, 5, settle=False)
        places = line.places(side)
        old, new, found = (line.rows[row, places] for row in (stages.OLD, stages.NEW, stages.MARGIN))
        assert np.array_equal(old, x[line.members[0, places]])
        g = [oracle(line, x, side, PRIORS[name], 0.3, at) for at in (old, new)]
        expected = np.log(g[0] / g[1]) - np.log(line.rows[stages.UNIFORM, places])
        inside = np.isfinite(found)
        assert inside.sum() > 0.9 * len(places) or name == "flat"
        np.testing.assert_allclose(found[inside], expected[inside], rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", PRIORS)
def test_proposals_are_draws_from_the_density(name):
    """Kolmogorov and Smirnov's test of many proposals from one half; the control has another width."""
    rng = np.random.default_rng(2)
    particles, prior = 4_000, PRIORS[name]
    x = np.where(rng.random(particles) < 0.3, -2.0, 3.0) + 0.2 * rng.standard_normal(particles)
    line = jumps_of(prior, particles).line
    line.propose(x, 0, 9, settle=False)
    new = line.rows[stages.NEW, line.places(0)]
    grid = np.linspace(-3.9, 4.9, 40_001)
    g = oracle(line, x, 0, prior, 0.3, grid[::40])
    masses = np.concatenate([[0.0], np.cumsum(0.5 * (g[1:] + g[:-1]) * (grid[40] - grid[0]))])
    inside = (new > grid[0]) & (new < grid[-1])
    cdf = lambda at: np.interp(at, grid[::40], masses) / masses[-1]
    assert stats.kstest(new[inside], cdf).pvalue > 1e-4
    assert stats.kstest(new[inside] * 1.03, cdf).pvalue < 1e-6


def test_coins_and_uniforms_are_what_they_should_be():
    line = jumps_of(PRIORS["normal"], 30_000).line
    line.propose(np.linspace(-1.0, 1.0, 30_000), 0, 4, settle=False)
    zero, one = line.places(0), line.places(1)
    assert sorted(line.members[0, np.concatenate([zero, one])]) == list(range(30_000))
    assert abs(zero.size - 15_000) < 4.0 * np.sqrt(7500.0)
    for row in (stages.PICK, stages.PLACE, stages.UNIFORM):
        assert stats.kstest(np.concatenate([line.rows[row, zero], line.rows[row, one]]), "uniform").pvalue > 1e-4
    places = np.concatenate([zero, one])
    assert (
        np.abs(np.corrcoef(line.rows[[stages.PICK, stages.PLACE, stages.UNIFORM]][:, places]) - np.eye(3)).max() < 0.025
    )


def test_a_group_is_cut_as_all_are():
    jumps = jumps_of(PRIORS["normal"], 3000)
    how = (jumps._fixed, jumps.share, 0.2, jumps.walls)
    line = type(jumps.line)(3000, *how, potential=jumps.line._potential, key=jumps._key)
    x = np.random.default_rng(1).standard_normal(3000)
    line.propose(x, 0, 4, settle=False)
    rest = 3000 - line.proposed(0) - line.proposed(1)
    assert abs(rest - 2400) < 4.0 * np.sqrt(3000 * 0.16)
    half = line.members[0, line.places(1)]
    others = [line.members[1, s * 512 + 512 - n : s * 512 + 512] for s, n in enumerate(line.counts[1, 1])]
    assert sorted(line._centres[: int(line._numbers[tabulated.MEMBERS])]) == sorted(x[np.concatenate([half, *others])])


@pytest.mark.parametrize("spread", [0.0, 1e-14, 1e12])
def test_tight_and_wide_ensembles_propose(spread):
    x = 0.5 + spread * np.linspace(0.0, 1.0, 40)
    line = jumps_of(PRIORS["normal"], 40).line
    line.propose(x, 0, 4, settle=False)
    assert np.isfinite(line.rows[[stages.OLD, stages.NEW, stages.MARGIN]][:, line.places(0)]).all()


def test_particles_far_from_the_broad_part_can_leave():
    """Where g(old) is too small for a number its logarithm still counts."""
    x = np.linspace(-1.0, 1.0, 40)
    jumps = jumps_of(pg.priors.Normal(0.0, 0.01), 40)
    line = jumps.line
    line.propose(x, 0, 4, settle=False)
    alone = line.members[0, line.places(0)][3]
    x[alone] = 500.0
    line.propose(x, 0, 4, settle=False)
    margin = line.rows[stages.MARGIN, line.places(0)][3]
    assert np.isfinite(margin) and margin < -1e8
