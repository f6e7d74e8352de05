"""The picture of a benchmark table: every number of the table is where it belongs."""

from __future__ import annotations

import pytest

from particlegvi import plotting
from particlegvi.scenario.tables import published


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
        assert found["PLS, as printed"][0][place] == published(row, "nll", "pls")[0]
    other = drawn(panels["accuracy (%)"])
    expected = table.entry("heart", "pls", "standardised", "accuracy").mean
    assert other["PLS, standardised"][0] == pytest.approx([expected])


def test_chosen_scores_and_other_words(scored):
    figure = plotting.figure(scored, "scores", metrics=["auc"], language="de")
    assert [axes.get_xlabel() for axes in figure.axes] == ["Fläche unter der Kurve (%)"]
    with pytest.raises(ValueError, match='no score of the table "aux"; did you mean "auc"'):
        plotting.figure(scored, "scores", metrics=["aux"])


def test_a_narrow_picture_has_its_panels_below_each_other(scored):
    figure = plotting.figure(scored, "scores", size="column")
    figure.draw_without_rendering()
    left = [round(axes.get_position().x0, 3) for axes in figure.axes]
    assert len(set(left)) == 1 and len(left) == 4


def test_what_is_no_table_is_refused(line):
    with pytest.raises(ValueError, match="draws the scores of a benchmark table"):
        plotting.figure(line, "scores")
    with pytest.raises(ValueError, match="must be one of scores, not functions"):
        plotting.check({"kind": "functions"}, "table")
