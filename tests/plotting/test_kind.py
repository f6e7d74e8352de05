"""A kind of figure brings the checks of its options and the way its file is written."""

from __future__ import annotations

import subprocess
import sys

import pytest

from particlegvi import plotting
from particlegvi.plotting import rules
from particlegvi.plotting.kind import figure_kind, kinds

from ..bad_values import VALUES, wrong_answers


def test_every_option_has_a_check_that_takes_its_default_value():
    for name in plotting.names():
        kind = kinds[name]
        assert set(kind.checks) == set(kind.defaults) == set(plotting.options(name))
        kind.checked(kind.defaults)


def test_every_option_answers_every_value():
    """Also those options that `test_bad_input` does not name: a sentence, or nothing where the value is allowed."""
    for name in plotting.names():
        for option in plotting.options(name):
            check = lambda value, k=name, o=option: kinds[k].checked({o: value})
            wrong = wrong_answers(f"{name} {option}", check, VALUES)
            assert not wrong, "\n".join(wrong)


def test_an_option_without_a_check_is_refused_where_it_is_defined():
    def spread(results, *, coordinate=0, truth=True):
        raise NotImplementedError

    with pytest.raises(RuntimeError, match='the option coordinate of the figure "spread" has no check'):
        figure_kind("spread")(spread)
    kind = figure_kind("spread", coordinate=rules.whole(0, 9))(spread)
    assert kind.checked({"coordinate": 3.0, "truth": False}) == {"coordinate": 3, "truth": False}
    with pytest.raises(ValueError, match='^truth of the figure "spread" must be true or false, not 1$'):
        kind.checked({"truth": 1})


def test_a_check_without_an_option_is_refused():
    def empty(results):
        raise NotImplementedError

    with pytest.raises(RuntimeError, match='the option bins of the figure "empty" is none of its keyword-only'):
        figure_kind("empty", bins=rules.whole(1, 9))(empty)


def test_a_number_out_of_its_limits_is_told_the_limits():
    share = rules.number(above=0.0, below=1.0)
    assert share(0.5, "share") == 0.5
    with pytest.raises(ValueError, match=r"^share must be a finite number above 0 and below 1, not 2$"):
        share(2, "share")
    with pytest.raises(ValueError, match=r"^share must be a finite number, not nan$"):
        rules.number()(float("nan"), "share")


def test_options_come_in_plain_form():
    assert kinds["histograms"].checked({"bins": 20.0, "range": [-1, 2]}) == {"bins": 20, "range": (-1.0, 2.0)}
    assert kinds["histograms"].checked({"range": None}) == {"range": None}
    assert kinds["buckets"].checked({"bucket_width": "pi"}) == {"bucket_width": pytest.approx(3.141592653589793)}
    assert kinds["particles"].checked({"window": [[0, 1], [2, 3]]}) == {"window": ((0.0, 1.0), (2.0, 3.0))}
    with pytest.raises(ValueError, match=r'^bins of the figure "histograms" must be a whole number .*, not None$'):
        kinds["histograms"].checked({"bins": None})


@pytest.mark.parametrize("kind", ["loss", "histograms", "coverage"])
def test_figures_of_particles_refuse_functions(kind, fitted):
    with pytest.raises(ValueError, match="draws particles that minimise a loss, but mixing has none"):
        plotting.figure(fitted, kind)


@pytest.mark.thorough
def test_entries_are_checked_without_what_only_drawing_needs():
    """Before a simulation: the kinds that are asked for alone are imported, and no way of drawing to a screen."""
    code = (
        "import sys; from particlegvi import plotting; plotting.check({'kind': 'coverage'}); "
        "print({'matplotlib.pyplot', 'particlegvi.runs.results', 'particlegvi.plotting.buckets'} & set(sys.modules))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "set()"
