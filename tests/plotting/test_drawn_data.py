"""The artists hold what they should: areas, curves, counts and positions, each against numbers computed here."""

import math
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.patches import Ellipse, PathPatch, Rectangle

import particlegvi as pg
from particlegvi import plotting
from particlegvi.plotting import buckets, reading
from particlegvi.plotting import particles as particles_kind
from particlegvi.plotting.axis_numbers import one_notation, parameter_of
from particlegvi.plotting.modes import mass_below

from ..plain_parts import PlainAtoms


def panels(figure):
    return [axes for axes in figure.axes if axes.get_title()]


def with_gid(axes, gid):
    return [artist for artist in axes.get_children() if artist.get_gid() == gid]


class Bar(NamedTuple):
    left: float
    width: float
    height: float


def bars(axes):
    """The bars that are patches of their own, then the bars of the histogram, which is one patch."""
    alone = [Bar(one.get_x(), one.get_width(), one.get_height()) for one in axes.patches if isinstance(one, Rectangle)]
    joined = [
        Bar(x.min(), np.ptp(x), y.max())
        for patch in axes.patches
        if isinstance(patch, PathPatch)
        for x, y in (corners.T for corners in patch.get_path().vertices.reshape(-1, 5, 2)[:, :4])
    ]
    return alone + joined


def area(drawn):
    return sum(bar.width * bar.height for bar in drawn)


def others(results, runs, changes=None):
    """Results with other runs, and other keys in the scenario."""
    return type(results)(runs, {**results.scenario, **(changes or {})}, {}, results.targets)


@pytest.mark.thorough
def test_histogram_has_area_one_and_the_particles_in_its_bins(line):
    """Particles outside a range that was given are missing from the area, and counted."""
    drawn, final = bars(panels(plotting.figure(line, "histograms", bins=30))[1]), line["DLE"].final[:, 0]
    assert len(drawn) == 30 and area(drawn) == pytest.approx(1.0, abs=1e-12)
    edges = np.array([bar.left for bar in drawn] + [drawn[-1].left + drawn[-1].width])
    density, _ = np.histogram(final, edges, density=True)
    np.testing.assert_allclose([bar.height for bar in drawn], density, atol=1e-12)
    axes = panels(plotting.figure(line, "histograms", range=[-2.0, 0.0]))[1]
    inside = np.mean((final >= -2.0) & (final <= 0.0))
    assert 0.3 < inside < 1.0 and area(bars(axes)) == pytest.approx(inside, abs=1e-12)
    assert any(f"{1 - inside:.1%} outside" in text.get_text() for text in axes.texts)


def test_the_curve_is_the_targets_density_and_the_distance_is_written_where_it_is_known(line):
    first, second, third = panels(plotting.figure(line, "histograms"))
    [curve] = with_gid(third, "truth")
    x, y = curve.get_data()
    np.testing.assert_array_equal(y, line.targets["DRLE"].pdf(x))
    assert np.trapezoid(y, x) == pytest.approx(1.0, abs=0.01)  # the panel holds all but 0.2% of the mass
    assert any("0.071" in text.get_text() and "0.032 to 0.116" in text.get_text() for text in second.texts)
    assert any("0.052" in text.get_text() for text in third.texts)
    assert not any("W_1" in text.get_text() for text in first.texts)
    assert len({round(axes.title.get_window_extent().y1) for axes in (first, second, third)}) == 1  # titles are level


def test_atoms_are_stems_of_their_weights_beside_fractions_of_the_particles(line):
    axes = panels(plotting.figure(line, "histograms"))[0]
    [stems] = with_gid(axes, "truth")
    np.testing.assert_array_equal(stems.get_xdata(), [-2.0, 1.0])
    np.testing.assert_array_equal(stems.get_ydata(), [0.5, 0.5])
    start = line["DE"].initial[:, 0]
    left, right = (bar for bar in bars(axes) if bar.height > 0)
    # The deep ensemble goes down its own side of the top at 0.
    np.testing.assert_allclose([left.height, right.height], [np.mean(start < 0), np.mean(start > 0)], atol=1e-12)
    np.testing.assert_allclose([bar.left + bar.width / 2 for bar in (left, right)], [-2.0, 1.0], atol=1e-12)


def test_particles_on_their_way_to_an_atom_have_bars_as_wide_as_that_of_the_atom(line):
    start = replace(line["DE"], positions=line["DE"].positions[:1], steps=line["DE"].steps[:1])
    drawn = bars(panels(plotting.figure(others(line, [start]), "histograms"))[0])
    inside = [np.mean((start.initial >= bar.left) & (start.initial < bar.left + bar.width)) for bar in drawn]
    np.testing.assert_allclose([bar.height for bar in drawn], inside, atol=1e-12)
    assert sum(inside) == pytest.approx(1.0, abs=1e-12) and np.ptp([bar.width for bar in drawn]) < 0.02


@pytest.mark.thorough
def test_scatter_holds_the_final_particles_in_one_window(plane):
    shown = panels(plotting.figure(plane, "particles"))
    for axes, label in zip(shown, plane, strict=True):
        [dots] = with_gid(axes, "particles")
        assert isinstance(dots, PathCollection)
        np.testing.assert_array_equal(dots.get_offsets(), plane[label].final)
    assert len({(axes.get_xlim(), axes.get_ylim()) for axes in shown}) == 1


@pytest.mark.thorough
def test_shares_are_counts_by_quadrant(plane):
    final = plane["DLE"].final
    written = [text.get_text() for text in panels(plotting.figure(plane, "particles"))[1].texts]
    for side, level in product((-1, 1), (-1, 1)):
        share = np.mean((final[:, 0] * side > 0) & (final[:, 1] * level > 0))
        assert f"{share:.0%}\n(25%)" in written


@pytest.mark.thorough
def test_a_gaussian_is_drawn_by_its_ellipses_and_its_mass_levels_are_chi_square_circles(plane):
    axes = panels(plotting.figure(plane, "particles"))[3]
    ellipses = [patch for patch in axes.patches if isinstance(patch, Ellipse)]
    info = plane["FD-GVI"].info
    for deviations, ellipse in enumerate(ellipses, start=1):
        np.testing.assert_allclose(ellipse.get_center(), info["mean"])
        np.testing.assert_allclose([ellipse.width, ellipse.height], 2 * deviations * np.array(info["sd"]))
    assert len(ellipses) == 2
    x, y = np.meshgrid(*2 * [np.linspace(-6, 6, 601)])
    levels = particles_kind.mass_levels(np.exp(-0.5 * (x**2 + y**2)) / (2 * math.pi), (0.5, 0.9))
    # The disc that holds the mass m has the density (1 - m) / (2 pi) on its edge.
    np.testing.assert_allclose(levels, [0.1 / (2 * math.pi), 0.5 / (2 * math.pi)], rtol=5e-3)


def test_paths_are_those_of_particles_evenly_spread_over_the_start(line):
    axes = panels(plotting.figure(line, "trajectories", particles=7, truth=False))[0]
    positions = line["DE"].positions[:, :, 0]
    order = np.argsort(positions[0])[np.round(np.linspace(0, 59, 7)).astype(int)]
    [paths] = [artist for artist in axes.collections if isinstance(artist, LineCollection)]
    for path, expected in zip(paths.get_segments(), positions[:, order].T, strict=True):
        np.testing.assert_array_equal(path, np.column_stack([line["DE"].times, expected]))


def test_minima_and_tops_of_the_tilted_double_well(line):
    loss, grid = line["DE"].loss, np.linspace(-3.0, 2.0, 4001)
    minima, tops = reading.turning_points(grid, loss.value(grid))
    np.testing.assert_allclose(minima, [-2.0, 1.0], atol=1e-6)  # roots of t^3 + t^2 - 2 t
    np.testing.assert_allclose(tops, [0.0], atol=1e-6)
    np.testing.assert_allclose(reading.global_minimisers(loss, (-3.0, 2.0)), [-2.0], atol=1e-6)


def test_loss_lines_are_the_averages(line):
    [axes], loss = plotting.figure(line, "loss").axes, line["DE"].loss
    np.testing.assert_allclose(axes.lines[0].get_ydata(), [np.mean(loss.value(p)) for p in line["DE"].positions])


@pytest.mark.slow
def test_buckets_count_who_is_alone(minima):
    places = np.array([0.1, 3.0, 3.2, -0.1, 100.0])
    assert list(buckets.buckets_of(places)) == [0, 0, 1, -1, 31]
    assert list(buckets.alone(places)) == [False, False, True, True, True]
    numbers = np.array([-1000, -3, 0, 999, 0])  # the bottom of each is half a period in
    bottoms = buckets.lowest(minima["DE"].loss, numbers)
    np.testing.assert_allclose(bottoms, (numbers + 0.5) * math.pi, atol=1e-7)
    above, final = plotting.figure(minima, "buckets").axes[0], minima["DLE"].final[:, 0]
    [ticks] = with_gid(above, "particles of DLE")
    np.testing.assert_array_equal(ticks.get_xdata(), final)
    _, back, counts = np.unique(np.floor(final / math.pi), return_inverse=True, return_counts=True)
    assert f"{np.sum(counts[back] == 1)} of 20 alone" in [text.get_text() for text in above.texts]
    assert "2,000" in above.get_title()


@pytest.mark.thorough
def test_lifting_marks_both_minimisers_and_draws_the_prior(lifted):
    above, below = plotting.figure(lifted, "lifting").axes
    [dots] = with_gid(above, "minimisers")
    np.testing.assert_allclose(dots.get_xdata(), [-1.0, 1.0], atol=1e-6)
    [prior] = [row for row in below.lines if row.get_label() == "prior $P$"]
    x, y = prior.get_data()
    np.testing.assert_allclose(y, np.exp(-0.5 * x**2) / math.sqrt(2 * math.pi), rtol=1e-12)


def test_coverage_is_the_share_of_replicates_with_its_mean_and_interval(replicated):
    first, second = panels(plotting.figure(replicated, "coverage"))
    for axes, expected in ((first, {4: 1 / 3, 5: 1 / 3, 6: 1 / 3}), (second, {8: 1.0})):
        heights = [bar.height for bar in bars(axes) if bar.width == pytest.approx(0.8)]
        np.testing.assert_allclose(heights, [expected.get(count, 0.0) for count in range(9)])
        [most] = with_gid(axes, "independent")
        assert most.get_xdata()[0] == pytest.approx(8 * (1 - (7 / 8) ** 8))  # of draws that are uniform over the modes
    [mean] = with_gid(first, "mean")
    assert mean.get_xdata()[0] == 5.0
    assert "mean 5.00 of 8\n95%: 2.52 to 7.48" in [text.get_text() for text in first.texts]
    assert "mean 8.00 of 8\nin all 3" in [text.get_text() for text in second.texts]


def test_one_stray_particle_does_not_set_the_range():
    values = np.append(np.random.default_rng(0).standard_normal(1000), 1e6)
    low, high = reading.fitting_range([values])
    assert -6.0 < low < -2.0 and 2.0 < high < 8.0
    assert reading.fitting_range([np.array([np.nan])]) == (-1.0, 1.0)
    low, high = reading.fitting_range([np.array([2.0, 2.0])])
    assert low < 2.0 < high
    for few in ([5e-324, 1e-323], [2.0, np.nextafter(2.0, 3.0)]):  # numpy has no 40 bars between these
        with pytest.raises(ValueError, match="Too many bins"):  # control
            np.histogram(few, 40)
        assert np.histogram(few, 40, reading.fitting_range([np.array(few)]))[0].sum() == 2


@pytest.mark.thorough
def test_a_loss_is_left_out_where_it_changes_faster_than_the_curve(minima, line):
    def named(results, **options) -> bool:
        figure = plotting.figure(results, "histograms", methods=["DLE"], **options)
        return any("loss" in axes.get_ylabel() for axes in figure.axes)

    assert not named(minima)
    assert named(minima, range=(-9.0, 9.0))  # six of the two thousand minima
    assert named(line)


def test_masses_of_truths():
    assert mass_below(PlainAtoms(np.array([[-2.0], [1.0]]), np.array([0.3, 0.7])), 0.0) == pytest.approx(0.3)
    normal = pg.target(pg.losses.get("quadratic", curvature=[1.0]), pg.methods.DLE(1.0), pg.priors.Flat(1))
    assert mass_below(normal, -0.5) == pytest.approx(0.308538, abs=2e-4)
    assert mass_below(None, 0.0) is None


def test_lines_are_the_shares_and_dashes_the_truths(line):
    [axes] = plotting.figure(line, "occupancy", relaxation_time=0.7, time="linear").axes
    first = np.mean(line["DE"].positions[:, :, 0] < 0.0, axis=1)
    np.testing.assert_allclose(axes.lines[0].get_ydata(), first)
    truths = {each.get_gid(): each.get_ydata()[0] for each in axes.lines if str(each.get_gid()).startswith("truth")}
    assert truths["truth of DE"] == 0.5
    assert truths["truth of DLE"] == pytest.approx(mass_below(line.targets["DLE"], 0.0))
    laws = [each for each in axes.lines if "in theory" in str(each.get_label())]
    assert len(laws) == 2  # of DLE and DRLE, whose truths have densities
    start, end = np.mean(line["DLE"].positions[0, :, 0] < 0.0), truths["truth of DLE"]
    times = laws[0].get_xdata()
    np.testing.assert_allclose(laws[0].get_ydata(), end + (start - end) * np.exp(-times / 0.7))


def test_numbers_beside_each_other_have_one_notation():
    assert one_notation([5e-4, 1e-3, 5e-3]) == ["0.0005", "0.001", "0.005"]
    assert one_notation([4.63e-5, 0.0309, 0.0], 3) == [r"4.63\times 10^{-5}", r"3.09\times 10^{-2}", "0"]
    assert one_notation([20_000.0, 0.5]) == [r"2\times 10^{4}", r"5\times 10^{-1}"]


def test_a_parameter_t_is_theta_beside_the_time():
    in_t, in_x = (pg.Loss.from_formula(f"{name}^2", [name]) for name in "tx")
    assert parameter_of(in_t) == (r"parameter $\theta$", r"loss $\ell(\theta)$")
    assert parameter_of(in_x) == ("parameter $x$", "loss $\\ell(x)$")
