"""The Fourier series with the prior's attraction in it, and the noise that is made ahead of the steps."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi.engine.numerics import noise, threads
from particlegvi.engine.pairs import fourier
from particlegvi.engine.pairs.fourier import Series
from particlegvi.engine.pairs.repulsion import Repulsion
from particlegvi.engine.steps import coupled

from ...flows import advanced, problem
from .clouds import CLOUDS

NEAR = {name: CLOUDS[name] for name in CLOUDS if not name.startswith("far")}  # within reach of the series
NEAR["one outlier"], NEAR["at one side"] = np.append(CLOUDS["normal"], 30.0), 20.0 + CLOUDS["normal"]
NEAR["two clusters"], NEAR["a tile and one"] = 0.5 * CLOUDS["two clusters"], CLOUDS["normal"][:257]


def pairs_and_attraction(x, kernel, mean, sd):
    """1/N sum_j grad_1 kappa minus grad mu_P for the squared exponential and N(mean, sd^2), as a sum over pairs."""
    gap = x[:, None] - x[None, :]
    s2, width2 = kernel.lengthscale**2, kernel.lengthscale**2 + sd**2
    repulsion = (-kernel.variance / s2 * gap * np.exp(-0.5 * gap**2 / s2)).mean(axis=1)
    height = kernel.variance * np.sqrt(s2 / width2)
    return repulsion + height / width2 * (x - mean) * np.exp(-0.5 * (x - mean) ** 2 / width2)


@pytest.mark.parametrize("cloud", NEAR)
@pytest.mark.parametrize("lengthscale", [0.7, 2.0])
@pytest.mark.parametrize("sd", [1e-3, 1.0, 2.0])
@pytest.mark.parametrize("tolerance", [1e-12, 1e-7])
@pytest.mark.sample("1e-12-*")
def test_repulsion_and_attraction_together_are_within_the_tolerance(cloud, lengthscale, sd, tolerance):
    x = NEAR[cloud][:, None].copy()
    kernel = pg.kernels.SquaredExponential(lengthscale, variance=2.0)
    series = Series(kernel, 1, tolerance)
    embedding = pg.priors.embedding(pg.priors.Normal(0.4, sd), kernel).term
    series.take_in(embedding.gaussian_on_the_line())
    box = series.estimate(x)[1]
    out = np.empty_like(x)
    series.force(x, box, 1.0, out)
    expected = pairs_and_attraction(x[:, 0], kernel, 0.4, sd if box.attracts else np.inf)
    assert np.abs(out[:, 0] - expected).max() <= tolerance * 2.0 / lengthscale
    assert box.attracts or cloud in ("one outlier", "at one side") or sd >= 1.0
    if box.attracts:  # negative control: without the attraction, or with the wrong mean, the error is large
        for wrong in ((0.4, np.inf), (0.5, sd)):
            assert np.abs(out[:, 0] - pairs_and_attraction(x[:, 0], kernel, *wrong)).max() > 100 * tolerance


@pytest.mark.parametrize("tolerance", [1e-15, 1e-12, 1e-6, 1e-2])
@pytest.mark.parametrize("sd", [None, 1e-9, 0.1, 1.0, 30.0])
def test_cut_offs_satisfy_their_bounds_with_an_attraction_and_without(tolerance, sd):
    kernel, gaussian, share, ratio = pg.kernels.SquaredExponential(0.8, variance=3.0), None, 0.0, 1.0
    if sd is not None:
        gaussian = pg.priors.embedding(pg.priors.Normal(0.0, sd), kernel).term.gaussian_on_the_line()
        share, ratio = 0.64 / (0.64 + sd**2), np.hypot(0.8, sd) / 0.8
    plan = fourier.fourier_plan(0.8, 3.0, tolerance, gaussian)
    assert plan.height == pytest.approx(share * 3.0 * ratio, rel=1e-12)
    assert plan.width == pytest.approx(0.8 * ratio, rel=1e-12) or sd is None
    left_out = np.exp(-0.5 * plan.band**2) + share * np.exp(-0.5 * (plan.band * ratio) ** 2)
    images = plan.reach * np.exp(-0.5 * plan.reach**2) + share * plan.margin * np.exp(-0.5 * plan.margin**2)
    assert np.sqrt(2.0 / np.pi) * left_out + 2.01 * images <= tolerance * (1 + 1e-9)


@pytest.mark.parametrize("low, high", [(-3.0, 3.0), (0.0, 0.0), (-2.0, 25.0), (9.0, 11.0)])
def test_the_box_keeps_images_and_frequencies_where_the_bounds_want_them(low, high):
    kernel = pg.kernels.SquaredExponential(1.0)
    gaussian = pg.priors.embedding(pg.priors.Normal(0.0, 1.0), kernel).term.gaussian_on_the_line()
    plan = fourier.fourier_plan(1.0, 1.0, 1e-12, gaussian)
    box = fourier.box_of(plan, low, high)
    assert box.period - (high - low) >= plan.reach * (1 - 1e-12)
    assert 2.0 * np.pi * box.modes / box.period >= plan.band * (1 - 1e-12) and box.modes % 2 == 0
    farthest = max(high - box.origin, box.origin - low)
    assert farthest <= 0.5 * box.period
    if box.attracts:
        assert box.origin == 0.0 and box.period - farthest >= plan.margin * plan.width * (1 - 1e-12)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("two", [False, True])
@pytest.mark.parametrize("groups", [
    [(0, 323, 0)], [(7, 323, 0)],
    [(0, 50, 0), (50, 50, 0), (100, 1, 0), (101, 448, 0), (3, 90, 1), (93, 9, 0)],
], ids=["one", "later", "many"])  # fmt: skip
def test_noise_of_groups_of_steps_is_the_noise(workers, two, groups, monkeypatch):
    """Groups that follow one another go on with what was begun; others begin anew."""
    monkeypatch.setattr(threads, "count", lambda: workers)
    monkeypatch.setattr(coupled, "NUMBERS", 64 * 80)  # a block has 80 steps of 37 particles, or a few more
    made = coupled.NoiseAhead(noise.key_words(5), True, two)
    for first_step, steps, stop in groups:
        seen = first_step
        for step, count, normals in made.pieces(37, first_step, steps):
            assert step == seen and 0 < count <= first_step + steps - step
            for number in {step, step + 1 if count > 1 else step, step + count - 1, step + count - 1 + two}:
                row = normals[number - step // 2 * 2]
                assert np.array_equal(row[:37], noise.normals(5, "noise", 37, 1, number)[:, 0])
            seen += count
            if stop:
                break
        assert stop or seen == first_step + steps


@pytest.mark.slow
def test_a_cloud_that_leaves_the_reach_of_the_series_and_comes_back_changes_no_bit(monkeypatch, rng):
    """The steep well pulls a far particle in: the first steps are for another algorithm, in groups of any size."""
    loss, prior = pg.losses.get("quadratic", curvature=[1.0], centre=[0.0]), pg.priors.Normal(0.0, 1.0)
    method = pg.methods.DRLE(0.5, 0.5, pg.kernels.SquaredExponential(0.1))
    start = np.append(rng.normal(size=60), 30.0)[:, None]

    def state(grouping, workers):
        monkeypatch.setattr(threads, "count", lambda: workers)
        flow = advanced(method.flow(problem(loss, prior, start, 400, 0.02, 1, "leimkuhler-matthews")), grouping)
        return flow.state.copy(), dict(flow.counts)

    whole, counts = state([400], 1)
    assert set(counts) > {"truncated Fourier series"} and sum(counts.values()) == 400
    for grouping, workers in (([1] * 400, 1), ([150, 1, 249], 2)):
        other, other_counts = state(grouping, workers)
        assert np.array_equal(whole, other) and counts == other_counts


def test_the_attraction_is_not_taken_in_twice(rng):
    kernel = pg.kernels.SquaredExponential(1.0)
    repulsion = Repulsion(kernel, 1, 1e-12)
    x = np.ascontiguousarray(rng.normal(size=(2000, 1)))
    out = np.empty_like(x)
    repulsion.force(x, 1.0, out)
    assert set(repulsion.used) == {"truncated Fourier series"} and not repulsion.attracts
    repulsion.take_in(pg.priors.embedding(pg.priors.Normal(0.0, 1.0), kernel).term.gaussian_on_the_line())
    repulsion.force(x, 1.0, out)
    assert repulsion.attracts
    np.testing.assert_allclose(out[:, 0], pairs_and_attraction(x[:, 0], kernel, 0.0, 1.0), rtol=0, atol=1e-12)
    wide = np.ascontiguousarray(x * 1e4)
    repulsion.force(wide, 1.0, np.empty_like(wide))
    assert not repulsion.attracts and len(repulsion.used) == 2
