"""Slides: no word on another or beyond the edge, none dropped that explains, most of the height for panels."""

import warnings

import pytest
from matplotlib.figure import Figure

from particlegvi import plotting
from particlegvi.cli import main
from particlegvi.plotting import checking, style
from particlegvi.plotting.axis_numbers import fewer_numbers
from particlegvi.plotting.heading import balanced, filled
from particlegvi.plotting.text_layout import height_of_panels
from particlegvi.scenario import catalogue
from particlegvi.tools.words import languages

from .test_figure_kinds import KINDS

SLIDES = [*checking.SLIDES, *({"size": "4:3", "font_size": 18.0, "language": each} for each in languages())]
LEAST = {18.0: 0.5, 20.0: 0.5, 28.0: 0.2}  # of the height, for the panels, by the size of letters in points


def faults(figure, points: float) -> list[str]:
    """Everything that is wrong with a slide."""
    share = height_of_panels(figure)
    return [
        *checking.complaints(figure),
        *([f"panels have {share:.0%} of the height"] if share < LEAST[points] else []),
    ]


DRAWN = sorted(name for name in catalogue.ours() if not name.startswith("uci-"))  # these are tables that take hours
FEW = ("particles", "histograms", "scores")
OTHERS = [pytest.param(kind, marks=pytest.mark.slow) for kind in sorted({*KINDS} - {*FEW})]


@pytest.mark.parametrize("kind", [*FEW, *OTHERS])
@pytest.mark.sample("scores")
def test_a_slide_of_every_kind_is_clean(kind, request):
    results = request.getfixturevalue(KINDS[kind])
    look = SLIDES[len(kind) % len(SLIDES)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = plotting.figure(results, kind, **look)
    assert faults(figure, look["font_size"]) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", DRAWN)
def test_scenarios_are_clean_slides(name):
    """As `particlegvi gallery --check` does with all of them."""
    assert main(["gallery", "--check", "--quick", "--quiet", "--only", name]) == 0


def test_no_word_of_a_title_stands_alone():
    figure, alone = style.new_slide(), 0
    for count in range(1, 30):
        text = " ".join(["word"] * count)
        lines, full = balanced(figure, text, 400.0, 20.0), filled(figure, text.split(), " ", 400.0, 20.0)
        assert " ".join(lines) == text and len(lines) == len(full) and (len(lines) == 1 or " " in lines[-1])
        alone += len(full) > 1 and full[-1] == "word"
    assert alone > 1


def test_names_at_an_axis_stay_and_numbers_give_way():
    """Bars without a name cannot be read; of numbers every second one is enough."""
    axis = Figure().add_subplot().yaxis
    for names, give_way in ((["8 and 9", "300 at 10", "20 near 0"], False), (["0.1", "$10^{3}$", "1e-05"], True)):
        axis.set_ticks([0.0, 0.5, 1.0], names)
        assert fewer_numbers(axis) is give_way
        assert [label.get_text() for label in axis.get_ticklabels()] == (names[::2] if give_way else names)


def test_faults_are_found(scored):
    """Words planted on others, beside them, and at the edge, and an explanation that is taken away."""
    figure = plotting.figure(scored, "scores", size="16:9", font_size=20.0)
    assert list(checking.complaints(figure)) == []
    note = next(text for text in figure.texts if text.get_text().startswith("mean and sd over 3 splits"))
    box = note.get_window_extent().transformed(figure.transFigure.inverted())
    for place, words in (((box.x0, box.y0), "planted"), ((box.x1, box.y0), "close"), ((0.0, 0.5), "edge")):
        figure.text(*place, words, size=20.0)
    complaints = "; ".join(checking.complaints(figure))
    for words in ("overlaps 'planted'", "'close' read as one line", "'edge' leaves"):
        assert words in complaints
    note.set_visible(False)
    assert "'mean and sd over 3 splits' is not shown" in list(checking.complaints(figure))


@pytest.mark.slow
def test_a_note_of_words_stands_first_and_stays(line):
    for look in SLIDES:
        figure = plotting.figure(line, "histograms", note="every bar is a share", **look)
        assert figure.needed[1].startswith("every bar is a share") and list(checking.complaints(figure)) == []
    with pytest.raises(ValueError, match="must be true, false, or words that explain the picture, not 3"):
        plotting.figure(line, "histograms", note=3)


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
    assert all(words in said for words in ("particles = 40", "guaranteed = False", "font_size", "can be filmed"))
    assert main(["plot", "--help-figure", "histogram"]) == 2
    assert "histograms" in capsys.readouterr().err
    assert main(["plot"]) == 2
    assert "DIR" in capsys.readouterr().err
