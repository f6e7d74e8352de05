"""Slides, 16:9 with words of 20 points and 4:3 with 18: no word on another, none cut, most of the height for panels."""

import warnings

import pytest

import particlegvi as pg
from particlegvi import plotting, scenario
from particlegvi.cli import main
from particlegvi.cli.making import QUICK
from particlegvi.datasets import MissingData
from particlegvi.plotting.kind import kinds
from particlegvi.plotting.text_layout import height_of_panels
from particlegvi.scenario import catalogue

from .test_figure_kinds import KINDS
from .test_looks import clashes

SLIDES = [{"size": "16:9", "font_size": 20.0}, {"size": "4:3", "font_size": 18.0}]
LEAST = 0.55  # of the height, for the panels
SMALLEST = 0.6  # of the letters that were asked for


def faults(figure, monkeypatch) -> list[str]:
    """Everything that is wrong with a slide."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = list(clashes(figure, monkeypatch))
    found += [str(each.message) for each in heard]
    share = height_of_panels(figure)
    return found if share >= LEAST else [*found, f"panels have {share:.0%} of the height"]


def on_slides(results, entry, monkeypatch) -> list[str]:
    """The faults of a figure on both slides, and of its film at the first record and half way."""
    found, kind = [], kinds[entry["kind"]]
    options = {key: value for key, value in entry.items() if key != "kind"}
    for look in SLIDES:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            figure = kind(results, **options, **look)
        found += [f"{kind.name} at {look['size']}: {each}" for each in faults(figure, monkeypatch)]
        if not kind.moves:
            continue
        moving = kind.moving(results, **options, **look)
        for part in (0.0, 0.5):
            for label, show in moving.shows.items():
                show(int(part * (len(moving.runs[label].steps) - 1)))
            film = faults(moving.figure, monkeypatch)
            found += [f"film of {kind.name} at {look['size']}, {part:.0%} of the records: {each}" for each in film]
    return found


FEW = ("histograms", "scores")
OTHERS = [pytest.param(kind, marks=pytest.mark.slow) for kind in sorted({*KINDS} - {*FEW})]
LONG = [name for name in catalogue.ours() if name.startswith("uci-") and not name.endswith("-short")]  # hours each


@pytest.mark.parametrize("kind", [*FEW, *OTHERS])
def test_a_slide_of_every_kind_is_clean(kind, request, monkeypatch):
    results = request.getfixturevalue(KINDS[kind])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = plotting.figure(results, kind, **SLIDES[len(kind) % 2])
    assert faults(figure, monkeypatch) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*catalogue.ours()} - {*LONG}))
def test_every_figure_and_film_of_every_scenario_is_a_clean_slide(name, monkeypatch):
    content = scenario.load(name)
    small = {key: min(content[key], most) for key, most in QUICK.items() if key in content}
    try:
        results = pg.run(name, progress=None, **small)
    except MissingData as error:
        pytest.skip(str(error))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numbers that so few steps give
        results.targets  # noqa: B018 -- found here, or a warning of theirs would be one of the picture
    assert [each for entry in results.scenario["figures"] for each in on_slides(results, entry, monkeypatch)] == []


@pytest.mark.thorough
def test_faults_are_found(line, monkeypatch):
    """Letters of a slide's size on a picture of 10 inches without the layout of a slide, as slides were before."""
    with pytest.warns(UserWarning, match="words of 20 points leave the panels .*% of the height of a picture of 10 by"):
        figure = plotting.figure(line, "histograms", size="10x5.625", font_size=20.0)
    assert any("of the height" in each for each in faults(figure, monkeypatch))


@pytest.mark.thorough
def test_a_picture_without_a_note(line):
    for size in ({}, {"size": "16:9"}):
        for note in (True, False):
            figure = plotting.figure(line, "histograms", note=note, **size)
            shown = "\n".join(text.get_text() for axes in figure.axes for text in (*axes.texts, *figure.texts))
            assert ("0.071" in shown) is ("60 particles" in shown) is note and "Which measure?" in shown


def test_a_figure_is_explained(capsys):
    assert main(["plot", "--help-figure", "functions"]) == 0
    said = capsys.readouterr().out
    for words in (
        "particles = 40",
        "Most functions that are drawn",
        "guaranteed = False",
        "font_size",
        "can be filmed",
    ):
        assert words in said
    assert main(["plot", "--help-figure", "histogram"]) == 2
    assert "histograms" in capsys.readouterr().err
    assert main(["plot"]) == 2
    assert "DIR" in capsys.readouterr().err
