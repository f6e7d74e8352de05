"""The content of a figure of functions: the functions themselves, the truth, the data, and the law of f at an input."""

import numpy as np
import pytest

import particlegvi as pg
from particlegvi import plotting
from particlegvi.functionspace import likelihoods
from particlegvi.scenario.tables.settings import declaration

from ..refusals import refuse
from .conftest import CURVE


def lines(axes):
    return [line.get_ydata() for line in axes.lines if len(line.get_xdata()) > 10]


@pytest.fixture(scope="module")
def curve():
    return pg.run({**CURVE, "methods": {"PLS": {"prior": "gp"}, "GP": {}}})


def test_the_functions_the_mean_and_the_truth_are_those_of_the_run(curve):
    figure = plotting.figure(curve, "functions", particles=10)
    for axes, run in zip(figure.axes, curve.values(), strict=True):
        grid = next(line.get_xdata() for line in axes.lines if len(line.get_xdata()) > 10)
        drawn = lines(axes)
        for function in run.sample(grid):
            assert any(np.array_equal(function, line) for line in drawn)
        assert any(np.allclose(run.predict(grid), line) for line in drawn)
        assert any(np.allclose(np.sin(4.0 * grid), line) for line in drawn)
        data = set(zip(run.problem.X[:, 0], run.problem.y, strict=True))
        assert data in [set(map(tuple, np.asarray(dots.get_offsets()))) for dots in axes.collections]


def test_a_mean_beyond_its_panel_is_marked_with_its_value(curve):
    for ends, marks in (((-0.3, 2.0), [-1.0]), ((-2.0, 2.0), [])):
        [axes] = plotting.figure(curve, "functions", methods=["GP"], range=ends).axes
        found = [float(text.get_text().replace("−", "-")) for text in axes.texts if text.get_gid() == "beyond"]
        assert found == pytest.approx(marks, abs=0.1)


def test_the_histogram_lies_beside_its_panel_and_has_area_one(curve):
    figure = plotting.figure(curve, "functions", input=0.5)
    panel, law = figure.axes[:2]
    assert law.get_title() == "x = 0.5"
    values = curve["PLS"].sample([0.5])[:, 0]
    low, high = panel.get_ylim()
    assert np.all((values > low) & (values < high))
    assert sum(bar.get_width() * bar.get_height() for bar in law.patches) == pytest.approx(1.0)


@pytest.mark.thorough
def test_two_signs_have_two_colours_and_no_band(counted):
    figure = plotting.figure(counted, "functions")
    for axes, run in zip(figure.axes, counted.values(), strict=True):
        assert len({line.get_color() for line in axes.lines if len(line.get_xdata()) > 10}) == 3
        truth = [line for line in axes.lines if line.get_linestyle() == "--"]
        np.testing.assert_allclose(truth[0].get_ydata(), -truth[1].get_ydata())
        assert run.problem.likelihood.even and axes.get_ylim()[0] == -axes.get_ylim()[1]


@pytest.mark.parametrize(
    "name, parameters, count",
    [("gaussian", {"noise_variance": 0.1}, 1), ("student-t", {"degrees_of_freedom": 4.0, "scale": 0.1}, 1),
     ("poisson-square", {}, 2), ("shifted-mixture", {"shift": 3.0, "noise_variance": 0.01}, 2),
     ("bernoulli-logistic", {}, 0)],
)  # fmt: skip
def test_the_levels_of_data_are_values_of_the_function_of_least_cost(name, parameters, count):
    likelihood = likelihoods.get(name, **parameters)
    y = np.array([1.0, 0.0, 1.0]) if count == 0 else np.array([1.0, 4.0, 9.0])
    levels = likelihood.levels(y)
    assert levels.shape == (count, 3)
    for level in levels:
        np.testing.assert_allclose(likelihood.slope(level, y), 0.0, atol=1e-9)
        assert np.all(likelihood.curvature(level, y) > 0.0)
    assert likelihood.levels(y[:0]).shape == (count, 0)


def test_a_guarantee_is_drawn_where_there_is_one_and_the_exact_band_beside_it():
    methods = {"methods": {"GP": {}, "SVGP": {}}, "inducing_points": 6}
    results = pg.run({**CURVE, **methods})
    figure = plotting.figure(results, "functions", particles=1, guaranteed=True)
    grid = next(line.get_xdata() for line in figure.axes[0].lines if len(line.get_xdata()) > 10)
    mean, sd = results["GP"].predict(grid, return_std=True)
    for axes in figure.axes:
        for edge in (mean - 1.959964 * sd, mean + 1.959964 * sd):
            assert any(np.allclose(edge, line, atol=1e-6) for line in lines(axes))
    for end in results["SVGP"].guaranteed(grid):
        assert [any(np.array_equal(end, line) for line in lines(axes)) for axes in figure.axes] == [False, True]
    low, high = results["SVGP"].guaranteed(grid)
    assert f"± {np.median(high - low) / 2.0:.2g}" in figure.axes[1].get_title()
    assert "±" not in figure.axes[0].get_title() + plotting.figure(results, "functions").axes[1].get_title()


def drawn(axes):
    """By the label of the legend the scores of a panel, in the order of the rows, and their spreads."""
    found = {}
    for container in axes.containers:
        line, _, (bars,) = container.lines
        spreads = [0.5 * (ends[1, 0] - ends[0, 0]) for ends in bars.get_segments()]
        found[container.get_label()] = line.get_xdata(), spreads
    return found


def test_means_and_spreads_are_those_of_the_table(scored):
    table = scored["table"]
    figure = plotting.figure(scored, "scores")
    panels = {axes.get_xlabel(): axes for axes in figure.axes}
    assert len(panels) == 4
    axes = panels["negative log-likelihood (nats)"]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["Yacht", "Boston"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]  # the first row on top
    found = drawn(axes)
    ours = {f"{model}, standardised" for model in ("PLS", "SVGP", "linear")}
    assert set(found) == ours | {"PLS, as printed", "SVGP, as printed"}
    for place, row in enumerate(("yacht", "boston")):
        mean, sd, *_ = table.entry(row, "svgp", "standardised", "nll")
        assert found["SVGP, standardised"][0][place] == mean
        assert found["SVGP, standardised"][1][place] == pytest.approx(sd)
        assert found["PLS, as printed"][0][place] == declaration("functions").published(row, "pls", "nll")[0]
    other = drawn(panels["accuracy (%)"])
    expected = table.entry("heart", "pls", "standardised", "accuracy").mean
    assert other["PLS, standardised"][0] == pytest.approx([expected])


@pytest.mark.slow
def test_the_means_over_a_plane_are_those_of_the_run_beside_the_truth(clustered):
    window = ((-1.0, 1.0), (-2.0, 0.0))
    figure = plotting.figure(clustered, "function-plane", means=True, window=window)
    at = np.column_stack([np.linspace(*side, 61) for side in window])  # the diagonal, which the squares have, too
    for axes, run in zip(figure.axes, clustered.values(), strict=False):
        shades = axes.collections[0].get_array().reshape(61, 61)
        np.testing.assert_allclose(np.diagonal(shades), run.predict(at), rtol=1e-9)
    below = figure.axes[-1]
    truth = next(line for line in below.lines if line.get_label() == "truth")
    x1 = truth.get_xdata()
    np.testing.assert_allclose(truth.get_ydata(), x1 * (x1 - 1.0))  # x1 x2
    with_sd = plotting.figure(clustered, "function-plane", window=window)  # control
    assert not any(line.get_label() == "truth" for line in with_sd.axes[-1].lines)
    refuse(lambda: plotting.figure(clustered, "function-plane", means=1), "means of the figure .* must be")
