"""How claims of the test's own are judged, and the command: its JSON, exit codes and table."""

import json
import math

import pytest

from particlegvi.cli import main
from particlegvi.verification import claims
from particlegvi.verification.claim import Check, check, claim, decisive

from ..refusals import refuse


def made(label, right, other):
    def fake(seed, wrong, *, particles=20):
        value = other if wrong else right
        if isinstance(value, BaseException):
            raise value
        return Check("a number", value, 1.0)

    fake.__doc__ = f"the claim of {label}.\n\n    A number is compared with a bound.\n    "
    return claim("no source", wrong="another number", name=label)(fake)


@pytest.fixture
def registered(monkeypatch):
    """Registers fakes in place of the claims."""

    def register(**values):
        monkeypatch.setattr(claims.registry, "_parts", {name: made(name, *pair) for name, pair in values.items()})

    return register


def test_a_bound_is_kept_on_its_own_side():
    assert Check("q", 1.0, 1.0).holds and not Check("q", 1.1, 1.0).holds
    assert Check("q", 1.0, 1.0, ">=").holds and not Check("q", 0.9, 1.0, ">=").holds
    assert not Check("q", math.nan, 1.0).holds and not Check("q", math.nan, 1.0, ">=").holds
    refuse(lambda: Check("q", 1.0, 1.0, "<"), "relation")


@pytest.mark.parametrize("relation", ["<=", ">="])
def test_the_load_is_at_most_one_just_where_a_bound_holds(relation):
    for measured in (-1.0, 0.0, 1e-9, 0.5, 1.0, 1.5, math.inf, math.nan):
        for bound in (0.0, 1e-9, 1.0):
            number = Check("q", measured, bound, relation)
            assert (number.load <= 1.0) == number.holds


def test_the_decisive_check_is_the_one_that_is_missed():
    assert decisive((Check("a", 0.1, 1.0), Check("b", 3.0, 2.0), Check("c", 5.0, 2.0, ">="))).quantity == "b"
    assert decisive(()) is None


@pytest.mark.parametrize(
    ("right", "wrong", "verdict", "control", "words"),
    [
        (0.5, 2.0, "holds", "failed", ""),
        (1.5, 2.0, "fails", "failed", "a number: 1.5, which should be <= 1"),
        (0.5, 0.7, "holds", "passed", "another number"),
        (0.5, math.nan, "holds", "passed", "another number"),
        (ArithmeticError("broke"), 2.0, "fails", "failed", "ArithmeticError: broke"),
        (0.5, ArithmeticError("broke"), "holds", "passed", "ArithmeticError: broke"),
    ],
)
def test_verdict_control_exit_code_and_words(registered, capsys, right, wrong, verdict, control, words):
    registered(first=(0.5, 2.0), second=(right, wrong))
    outcome = check(claims.registry["second"])
    assert (outcome.verdict, outcome.control) == (verdict, control)
    good = verdict == "holds" and control == "failed"
    assert outcome.good == good and ("broke" in outcome.error) == ("broke" in words)
    assert main(["verify", "--quiet"]) == (0 if good else 1)
    out = capsys.readouterr().out
    assert words in out and "first" not in out and bool(out) != good
    assert main(["verify", "--json"]) == (0 if good else 1)
    captured = capsys.readouterr()
    first, second = json.loads(captured.out)
    assert captured.err == "" and (second["verdict"], second["control"]) == (verdict, control)
    assert second["measured"] is None or math.isfinite(second["measured"])
    expected = {
        "name": "first", "claim": "the claim of first", "source": "no source", "measured": 0.5, "bound": 1.0,
        "verdict": "holds", "control": "failed", "relation": "<=", "control_measured": 2.0,
    }  # fmt: skip
    assert expected.items() <= first.items()


def test_an_interrupted_run_has_printed_what_is_done(registered, capsys):
    registered(first=(0.5, 2.0), second=(KeyboardInterrupt(), 2.0))
    assert main(["verify"]) == 130
    captured = capsys.readouterr()
    assert "first" in captured.out and "interrupted" in captured.err
