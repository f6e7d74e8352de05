"""Jumps part by part: proposals by their definition, and the acceptance of interacting particles by plain loops."""

import numpy as np
import pytest
from scipy import stats

import particlegvi as pg
from particlegvi.engine.jumps.ensemble import EnsembleJumps, fitted
from particlegvi.engine.jumps.proposals import (
    ACCEPT,
    NORMAL,
    UNIFORM,
    Broad,
    Proposal,
    accept_direct,
    centres_of,
    cut,
    propose,
)
from particlegvi.engine.jumps.series import accept_series, series_of
from particlegvi.engine.numerics.noise import key_words, uniforms

KEY, OPEN = key_words(3), (np.full(2, -np.inf), np.full(2, np.inf))


def proposed(proposal, x, mine, walls=OPEN):
    new, log_ratio = np.empty((mine.size, x.shape[1])), np.empty(mine.size)
    propose(proposal, x, walls, mine, 4, KEY, 0, mine.size, new, log_ratio)
    return new, log_ratio


@pytest.mark.parametrize("kind", ["normal", "uniform", "student"])
def test_proposals_are_draws_from_their_density_and_the_ratio_is_that_of_the_definition(kind, rng):
    x = np.where(rng.random((40_000, 1)) < 0.3, -2.0, 3.0) + 0.3 * rng.normal(size=(40_000, 2))
    mine, other = np.arange(20_000), np.arange(20_000, 40_000)
    broad = {
        "normal": Broad(NORMAL, np.array([0.3, -1.0]), np.array([1.4, 2.0])),
        "uniform": Broad(UNIFORM, np.array([-9.0, -8.0]), np.array([18.0, 20.0])),
        "student": fitted(x[other]),
    }[kind]
    laws = [
        {"normal": stats.norm(a, b), "uniform": stats.uniform(a, b), "student": stats.t(2.0, a, b)}[kind]
        for a, b in zip(broad.location, broad.scale, strict=True)
    ]
    centres, width = centres_of(x, other, broad, 0.4, 4, 0, KEY)
    assert centres.shape == (2, 32) and np.isin(centres[0], x[other, 0]).all() and np.all(width < 0.5 * broad.scale)

    def g(points, share=0.4):
        z = (points[:, :, None] - centres) / width[:, None]
        near = np.exp(-0.5 * (z**2).sum(axis=1)).mean(axis=1) / (2.0 * np.pi * width.prod())
        return (1.0 - share) * near + share * laws[0].pdf(points[:, 0]) * laws[1].pdf(points[:, 1])

    new, log_ratio = proposed(Proposal(centres, width, broad, 0.4), x, mine)
    decides = uniforms(3, "jumps", 20_000, 1, 4, int(ACCEPT))[:, 0]
    np.testing.assert_allclose(log_ratio, np.log(g(x[mine]) / g(new) / decides), rtol=0, atol=1e-9)
    assert np.abs(log_ratio - np.log(g(x[mine], 0.5) / g(new, 0.5) / decides)).max() > 0.1  # control
    for i, law in enumerate(laws):
        cdf = lambda t, i=i, law=law: (
            0.6 * stats.norm.cdf((t[:, None] - centres[i]) / width[i]).mean(1) + 0.4 * law.cdf(t)
        )
        assert stats.kstest(new[:, i], cdf).pvalue > 1e-4
        assert stats.kstest(new[:, i], law.cdf).pvalue < 1e-4  # control


def test_a_group_is_cut_as_all_are():
    order = np.empty((2, 3000), np.int64)
    members, proposers = cut(3000, 4, 0.2, KEY, order)
    rows = [order[side, : members[side]] for side in (0, 1)]
    assert sorted(np.concatenate(rows)) == list(range(3000))
    assert abs(proposers.sum() - 600) < 4.0 * np.sqrt(3000 * 0.16) and abs(members[0] - 1500) < 4.0 * np.sqrt(750)


def test_a_place_outside_the_walls_or_without_a_number_proposes_nothing(rng):
    x = rng.uniform(-1.0, 1.0, (400, 2))
    x[3] = np.inf
    walls = np.full(2, -1.0), np.full(2, 1.0)
    broad = Broad(UNIFORM, walls[0], np.full(2, 2.0))
    new, log_ratio = proposed(Proposal(x[200:232].T.copy(), np.full(2, 0.5), broad, 0.1), x, np.arange(200), walls)
    still = np.isneginf(log_ratio)
    assert still[3] and 20 < still.sum() < 180
    assert np.array_equal(new[still], x[:200][still]) and np.all(np.abs(new[~still]) <= 1.0)


def plain(kernel, x, mine, new, margin, factor, corrected=True):
    """As the compiled ways, by loops of numpy; x (N, dim) is moved. Without the correction all see the old places."""
    before, taken = x.copy(), 0
    for place, particle in enumerate(mine):
        rest = np.delete(x if corrected else before, particle, axis=0)
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


@pytest.mark.parametrize(("number", "scale", "factor"), [(37, 0.3, 0.4), (300, 1.5, 0.03)])
def test_the_series_takes_the_same_particles_one_after_the_other(number, scale, factor):
    kernel = pg.kernels.SquaredExponential(scale, variance=1.4)
    x, mine, new, margin = problem(1, number)
    expected, at_once, moved = x.copy(), x.copy(), x[:, 0].copy()
    taken = plain(kernel, expected, mine, new, margin, factor)
    series = series_of(moved, new[:, 0], scale, 1e-12)
    assert accept_series(scale, 1.4, series, moved, mine, new[:, 0], margin, factor) == taken
    assert 3 < taken < 19 and np.array_equal(moved, expected[:, 0])
    plain(kernel, at_once, mine, new, margin, factor, corrected=False)
    assert not np.array_equal(at_once, expected) or number > 37  # control: those before have moved


@pytest.mark.parametrize("tolerance", [1e-4, 1e-10])
def test_the_series_keeps_its_bound(tolerance):
    """kappa between particles at most nine lengthscales apart, from the frequencies that the series chose."""
    series = series_of(np.linspace(0.0, 9.0, 200), np.zeros(1), 1.0, tolerance)
    r, w = np.linspace(0.0, 9.0, 4001), series.frequency * np.arange(1, series.sums.shape[1] + 1)[:, None]
    a0 = series.frequency / np.sqrt(2.0 * np.pi)
    terms = 2.0 * a0 * np.exp(-0.5 * w**2) * np.cos(w * r)
    assert np.max(np.abs(a0 + terms.sum(axis=0) - np.exp(-0.5 * r**2))) <= tolerance
    fewer = a0 + terms[: len(terms) * 2 // 3].sum(axis=0)
    assert np.max(np.abs(fewer - np.exp(-0.5 * r**2))) > tolerance


@pytest.mark.thorough
def test_a_kernel_too_narrow_for_a_series_takes_the_sum():
    jumps = EnsembleJumps(
        pg.losses.get("double-well"), pg.priors.Normal(), None, pg.kernels.SquaredExponential(1e-4), kl_weight=1.0,
        lambda1=1.0, share=0.1, tolerance=1e-12, seed=0, particles=40,
    )  # fmt: skip
    x = np.random.default_rng(0).normal(size=(40, 1))
    assert series_of(x[:, 0], x[:, 0], 1e-4, 1e-12) is None
    jumps.jump(x, 0)
    assert jumps.counts["jumps accepted"] > 5


@pytest.mark.parametrize("kernel", [pg.kernels.SquaredExponential(0.3, variance=1.4), pg.kernels.Matern32(0.3)])
def test_sums_of_pairs_are_weighed_by_lambda1_over_the_number_and_the_kl_weight(kernel):
    x, mine, new, margin = problem(1)
    moved, expected, free = x.copy(), x.copy(), x.copy()
    jumps = EnsembleJumps(
        pg.losses.get("double-well"), pg.priors.Normal(), None, kernel, kl_weight=0.5, lambda1=8.0, share=0.1,
        tolerance=1e-12, seed=0, particles=len(x),
    )  # fmt: skip
    taken = plain(kernel, expected, mine, new, margin, 8.0 / (len(x) * 0.5))
    assert jumps._accept(moved, mine, new, margin.copy()) == taken
    assert np.array_equal(moved, expected)
    plain(kernel, free, mine, new, margin, 0.0)
    assert not np.array_equal(free, expected)  # control: without repulsion
