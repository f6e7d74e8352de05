"""Figures at every size, in every palette and language: no two texts overlap, and none leaves the picture."""

import re
from itertools import combinations

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from particlegvi import plotting
from particlegvi.plotting import checking, style
from particlegvi.plotting.look import Look, drawn_in
from particlegvi.settings import colours
from particlegvi.settings.colours import lightness
from particlegvi.settings.pictures import PALETTES
from particlegvi.simulation.run import Run

from ..plain_parts import PlainMethod, PlainResults
from .test_figure_kinds import KINDS, size_of

pytestmark = pytest.mark.thorough


def clashes(figure: Figure) -> list[str]:
    """A line for each text that leaves the picture, and for each two that overlap; any may stand close together."""
    assert len(checking.drawn_texts(figure)) > 3
    return [each for each in checking.complaints(figure) if "read as one line" not in each]


# Each kind in one of the looks that leave least room, and together in all of them.
TIGHT = [
    {"size": "column", "language": "de"},
    {"size": "4:3", "font_size": 16, "language": "de", "palette": "dark"},
    {"size": "column", "palette": "grey"},
]


# "rates" computes seven laws on a grid each time, and is drawn in test_figure_kinds.py.
@pytest.mark.parametrize(
    ("place", "kind"), [(place, kind) for place, kind in enumerate(sorted(KINDS)) if kind != "rates"]
)
@pytest.mark.sample("*-coverage", "*-functions")
@pytest.mark.often("*-trajectories", "*-distance", "*-particles", "*-function-plane")
def test_words_fit(place, kind, request):
    figure = plotting.figure(request.getfixturevalue(KINDS[kind]), kind, **TIGHT[place % len(TIGHT)])
    assert clashes(figure) == []


def test_a_single_panel_with_equal_axes_has_its_legend_beside_it(plane):
    """A slide is wide, and such a panel needs the height; two panels need the width."""
    for methods, is_beside in ((["DRLE"], True), (["DLE", "DRLE"], False)):
        figure = plotting.figure(plane, "particles", methods=methods, size="16:9", font_size=20)
        panel, legend = figure.axes[-1].get_window_extent(), figure.legends[0].get_window_extent()
        assert (legend.x0 > panel.x1, legend.y1 < panel.y0) == (is_beside, not is_beside)
        assert clashes(figure) == []


@pytest.mark.parametrize(
    ("chosen", "pixels"),
    [
        ({"size": "16:9"}, (2000, 1125)),
        ({"size": "4:3"}, (1500, 1125)),
        ({"size": "6x4"}, (1500, 1000)),
        pytest.param({"size": [13, 7.5]}, (1950, 1125), marks=pytest.mark.slow),
        ({"palette": "dark"}, (1500, 840)),
        ({"size": "column"}, (1400, None)),
    ],
)
def test_a_picture_and_its_letters_have_the_size_that_was_asked_for(chosen, pixels, line):
    width, height = size_of(style.png(plotting.figure(line, "loss", **chosen)))
    assert width == pixels[0]
    assert pixels[1] is None or abs(height - pixels[1]) <= 1
    for points in (12, 20) if pixels[1] else (12,):  # in a column larger letters give way
        figure = plotting.figure(line, "loss", font_size=points, **chosen)
        assert {text.get_fontsize() for legend in figure.legends for text in legend.get_texts()} == {points}


def colours_in(figure: Figure) -> np.ndarray:
    """Red, green and blue of every third pixel of every third row, (n, 3)."""
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[::3, ::3, :3].reshape(-1, 3).astype(int)


def test_grey_has_no_colour_and_dark_has_a_dark_ground(line):
    assert np.ptp(colours_in(plotting.figure(line, "histograms", palette="grey")), axis=1).max() == 0
    assert np.ptp(colours_in(plotting.figure(line, "histograms")), axis=1).max() > 100  # the control
    assert lightness(style.palette().ground) == pytest.approx(100.0)
    pixels = colours_in(plotting.figure(line, "histograms", palette="dark"))
    assert np.median(pixels) < 40 and pixels.max() > 230


def test_words_are_in_the_language(line):
    german = {text.get_text() for text in plotting.figure(line, "histograms", language="de").findobj(Text)}
    parts = {part.strip() for text in german for part in text.split("|")}
    assert {"Dichte", "Anteil der Partikel", "60 Partikel"} <= parts
    assert not {"density", "fraction of particles"} & german
    assert any("0,071" in text for text in german)
    assert not any("0.071" in text for text in german)


def test_lines_of_a_table_have_names_in_the_language(approximated):
    for language, name in (("de", "SVGP gierig"), ("en", "SVGP greedy")):
        [legend] = plotting.figure(approximated, "curves", language=language).legends
        assert name in [text.get_text() for text in legend.get_texts()]


@pytest.mark.parametrize(("kind", "results"), [("buckets", "minima"), ("scores", "scored")])
def test_numbers_at_an_axis_are_in_the_language_when_it_is_drawn_later(kind, results, request):
    figure = plotting.figure(request.getfixturevalue(results), kind, language="de")
    shown = [text.replace("$", "") for text, *_ in checking.drawn_texts(figure)]
    assert not [text for text in shown if re.fullmatch(r"[\u2212\d]*\.\d+(\\pi)?", text)]
    assert [text for text in shown if re.search(r"\d,\d", text)]


@pytest.mark.slow
def test_a_scenario_has_a_look_and_an_entry_comes_before_it(line, tmp_path):
    figures = [{"kind": "loss"}, {"kind": "loss", "size": "4:3"}]
    results = PlainResults(list(line.values()), {**line.scenario, "figures": figures, "style": {"size": "6x4"}}, {}, {})
    sizes = [size_of(path.read_bytes()) for path in plotting.draw(results, tmp_path)]
    assert sizes == [(1500, 1000), (1500, 1125)]
    sizes = [size_of(path.read_bytes()) for path in plotting.draw(results, tmp_path, {"size": "16:9"})]
    assert sizes == [(2000, 1125)] * 2


def run_of(label: str, method: PlainMethod) -> Run:
    return Run(label, None, None, method, np.zeros((2, 3, 1)), np.array([0, 1]), 0.1, 0)  # type: ignore[arg-type]


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("weights", [(0.1, 1.0), (0.1, 1.0, 10.0), (10.0, 0.01, 1.0, 0.1)])
def test_several_weights_of_one_method_are_one_hue_at_several_lightnesses(palette, weights):
    runs = {f"DLE {weight}": run_of(f"DLE {weight}", PlainMethod("DLE", weight)) for weight in weights}
    with drawn_in(Look(palette=palette)):
        found = style.colours({**runs, "DE": run_of("DE", PlainMethod("DE"))})
    ordered = [lightness(found[f"DLE {weight}"]) for weight in sorted(weights)]
    steps = np.diff(ordered)
    assert np.all(steps < -8.0) or np.all(steps > 8.0)  # in grey: 2.3 is just noticeable (Mahy et al. 1994)
    assert found["DE"] not in [found[label] for label in runs]
    hues = [np.argsort([int(found[label][place : place + 2], 16) for place in (1, 3, 5)]).tolist() for label in runs]
    assert palette == "grey" or all(each == hues[0] for each in hues)


@pytest.mark.parametrize("ground", PALETTES)
def test_a_method_has_its_colour_whatever_stands_before_it_and_others_are_far_from_it(ground):
    table = colours.of_methods(ground)
    for names in (["DE", "GP", "DRLE"], ["DRLE", "mine", "DE"], ["SVGD", "MMD flow", "FD-GVI", "DE"]):
        found = colours.assigned(dict(zip(names, names, strict=True)), ground)
        assert all(found[name] == table[colours.key(name)] for name in names if name != "mine")
    known = ["DE", "DLE", "DRE", "DRLE", "FDGVI", "SVGD", "MMDFLOW"]  # may stand in one figure
    models = ["PLS", "SVGP", "GP", "GWI", "BLR", "SOR"]
    for group in (known, models):
        pairs = [colours.distance(table[one], table[other]) for one, other in combinations(group, 2)]
        assert min(pairs) > (20.0 if ground != "grey" else 3.0)
    own = colours.assigned({"DE": "DE", "DLE": "DLE", "mine": "mine", "theirs": "theirs"}, ground)
    assert min(colours.distance(one, other) for one, other in combinations(own.values(), 2)) > (
        40.0 if ground != "grey" else 8.0
    )


def test_panels_have_own_colours_and_share_a_vertical_axis_or_have_their_own(line):
    def heights(**chosen) -> list[float]:
        figure = plotting.figure(line, "histograms", methods=["DLE", "DRLE"], **chosen)
        return [axes.get_ylim()[1] for axes in figure.axes if axes.get_xlabel()]

    shared, own = heights(vertical_axis="shared"), heights(vertical_axis="own")
    assert shared[0] == shared[1] == max(own) and own[0] != own[1]
    assert heights() == shared
    panels = plotting.figure(line, "histograms", colours={"DLE": "#123456"}).axes
    faces = [patch.get_facecolor()[:3] for axes in panels for patch in axes.patches]
    assert pytest.approx((0x12 / 255, 0x34 / 255, 0x56 / 255)) in faces
