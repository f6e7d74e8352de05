"""Every kind of figure draws: a PNG of slide size, the same bytes each time, words large enough to read."""

import struct
import tomllib
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from matplotlib.text import Text

from particlegvi import plotting
from particlegvi.plotting import look, style
from particlegvi.scenario import catalogue

from ..refusals import refused

KINDS = {
    "histograms": "line",
    "distance": "line",
    "rates": "line",
    "noise": "line",
    "trajectories": "line",
    "loss": "line",
    "occupancy": "line",
    "particles": "plane",
    "buckets": "minima",
    "lifting": "lifted",
    "coverage": "replicated",
    "functions": "counted",
    "scores": "scored",
    "curves": "approximated",
    "measurement": "measured",
    "ensemble-line": "on_a_line",
    "ensemble-plane": "on_a_plane",
    "displacement": "on_a_line",
    "heat-map": "swept",
    "lines": "swept",
    "bound": "featured",
    "decay": "featured",
    "budget": "budgeted",
    "shrinkage": "weighted",
    "estimates": "weighted",
    "function-plane": "clustered",
}


def size_of(png: bytes) -> tuple[int, int]:
    """Width and height from the header of a PNG (section 11.2.2 of its specification)."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", png[16:24])


def words(figure):
    """Every text that a figure shows, after it has been laid out."""
    figure.draw_without_rendering()
    return [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]


def test_every_kind_is_tried():
    assert sorted(KINDS) == plotting.names()


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.sample("lines", "scores")
def test_words_can_be_read_axes_are_labelled_and_the_legend_covers_none(kind, request):
    figure = plotting.figure(request.getfixturevalue(KINDS[kind]), kind)
    shown = words(figure)
    assert min(text.get_fontsize() for text in shown) >= 12
    drawn = figure.get_tightbbox()  # in inches, of everything that is shown
    assert drawn.x0 >= -0.01 and drawn.x1 <= look.WIDTH + 0.01
    assert drawn.y0 >= -0.01 and drawn.y1 <= look.HEIGHT + 0.01
    panels = [axes for axes in figure.axes if axes.get_visible()]
    assert all(axes.get_xlabel() or axes.get_title() or axes.xaxis.get_tick_params()["labelbottom"] for axes in panels)
    assert any(axes.get_xlabel() for axes in panels)
    assert any(axes.get_ylabel() or axes.get_yticklabels() for axes in panels)
    [legend] = figure.legends
    box = legend.get_window_extent()
    assert box.x0 >= 0 and box.x1 <= figure.bbox.x1
    assert not any(box.overlaps(axes.get_window_extent()) for axes in panels)


test_a_slip_is_one_sentence = refused(
    plotting.check,
    ({"kind": "histogram"}, 'did you mean "histograms"'),
    ({"kind": "histograms", "bin": 3}, 'did you mean "bins"'),
    ({"kind": "histograms", "bins": 0}, "bins of the figure"),
    ({"kind": "histograms", "range": [1.0, 0.0]}, "low < high"),
    ({"kind": "histograms", "methods": "DE"}, "a list of at least one label"),
    ({"kind": "trajectories", "time": "logarithmic"}, '"linear" or "log"'),
    ({"bins": 3}, 'needs a "kind"'),
)


@pytest.mark.thorough
def test_the_readers_settings_are_neither_used_nor_changed(line, tmp_path):
    line.scenario["figures"] = [{"kind": "loss"}]
    [path] = plotting.draw(line, tmp_path)
    plain = path.read_bytes()
    with matplotlib.rc_context({"font.size": 31.0, "lines.linewidth": 9.0, "axes.grid": True, "savefig.dpi": 20}):
        before = dict(matplotlib.rcParams)
        plotting.draw(line, tmp_path)
        assert dict(matplotlib.rcParams) == before
    assert path.read_bytes() == plain


@pytest.mark.parametrize("source, label", [("line", "DLE"), ("line", "DE"), ("plane", "DLE"), ("plane", "FD-GVI")])
@pytest.mark.thorough
def test_one_run_on_one_panel(source, label, request):
    results = request.getfixturevalue(source)
    for target in (None, results.targets[label]):
        figure = plotting.plot_run(results[label], target)
        png = figure._repr_png_()
        assert size_of(png) == (1500, 840)
        panels = [axes for axes in figure.axes if axes.get_title()]
        assert len(panels) == 1 and label in panels[0].get_title()


@pytest.mark.thorough
def test_dollar_signs_and_long_titles_of_a_scenario_are_text(line):
    scenario = {**line.scenario, "title": "Costs $5 and $x_ " + "long " * 40, "source": "a $ source " * 20}
    copy = type(line)(list(line.values()), scenario, line.summary, line.targets)
    shown = [text.get_text() for text in words(plotting.figure(copy, "loss"))]
    assert any(text.startswith("Costs $5 and $x_") for text in shown)
    assert sum(text.count("long") for text in shown) == 40  # broken and not cut
    assert any("seed 0" in text and "400 steps" in text for text in shown)


@pytest.mark.slow
def test_a_run_that_left_the_finite_numbers_is_drawn_where_it_still_was(line):
    positions = line["DLE"].positions.copy()
    positions[-3:, :5] = np.nan
    positions[-2:] = np.inf
    copy = type(line)([replace(line["DLE"], positions=positions)], line.scenario, {}, line.targets)
    for kind in ("histograms", "trajectories", "loss", "lifting"):
        assert size_of(style.png(plotting.figure(copy, kind))) == (1500, 840)


def test_the_figures_of_every_scenario_exist():
    for name in catalogue.names():
        content = tomllib.loads(catalogue.path(name).read_text(encoding="utf-8"))
        for entry in content.get("figures", []):
            plotting.check(entry)
            assert entry["kind"] in plotting.names()
