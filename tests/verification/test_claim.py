"""How a number is judged, and what a control that measured nothing counts for."""

import math

import pytest

from particlegvi.verification import claims, command
from particlegvi.verification.claim import Check, Claim, Experiment, check


def test_a_bound_is_kept_on_its_own_side():
    assert Check("q", 1.0, 1.0).holds and not Check("q", 1.1, 1.0).holds
    assert Check("q", 1.0, 1.0, ">=").holds and not Check("q", 0.9, 1.0, ">=").holds
    assert not Check("q", math.nan, 1.0).holds and not Check("q", math.nan, 1.0, ">=").holds
    with pytest.raises(ValueError, match="relation"):
        Check("q", 1.0, 1.0, "<")


@pytest.mark.parametrize("relation", ["<=", ">="])
@pytest.mark.parametrize("measured", [-1.0, 0.0, 1e-9, 0.5, 1.0, 1.5, math.inf, math.nan])
@pytest.mark.parametrize("bound", [0.0, 1e-9, 1.0])
def test_the_load_is_at_most_one_just_where_a_bound_holds(measured, bound, relation):
    made = Check("q", measured, bound, relation)
    assert (made.load <= 1.0) == made.holds


def test_the_decisive_check_is_the_one_that_is_missed():
    experiment = Experiment((Check("a", 0.1, 1.0), Check("b", 3.0, 2.0), Check("c", 5.0, 2.0, ">=")))
    assert experiment.decisive.quantity == "b"
    assert not experiment.holds and experiment.measured


class Fake(Claim):
    name, claim, source, wrong = "fake", "a claim", "a source", "something else"
    right_value, wrong_value = 0.5, 2.0

    def measure(self, seed, wrong, picture):
        value = self.wrong_value if wrong else self.right_value
        if value is None:
            raise ArithmeticError("broke down")
        return Check("q", value, 1.0)


@pytest.mark.parametrize(
    ("right", "wrong", "verdict", "control"),
    [
        (0.5, 2.0, "holds", "failed"),
        (1.5, 2.0, "fails", "failed"),
        (0.5, 0.7, "holds", "passed"),
        (math.nan, 2.0, "fails", "failed"),
        (0.5, math.nan, "holds", "passed"),
        (None, 2.0, "fails", "failed"),
        (0.5, None, "holds", "passed"),
        (0.5, math.inf, "holds", "failed"),
    ],
)
def test_verdict_and_control(right, wrong, verdict, control):
    claim = Fake()
    claim.right_value, claim.wrong_value = right, wrong
    outcome = check(claim)
    assert (outcome.verdict, outcome.control) == (verdict, control)
    assert outcome.good == (verdict == "holds" and control == "failed")
    assert ("broke down" in outcome.error) == (None in (right, wrong))
    row = outcome.row()
    assert row["measured"] is None or math.isfinite(row["measured"])


def test_a_claim_without_a_text_is_refused_before_anything_is_measured(monkeypatch, tmp_path):
    class Short(Claim):
        name, claim, source = "short", "a claim", "a source"

        def measure(self, seed, wrong, picture):
            raise AssertionError

    said = "^the claim Short must have a text as its wrong$"
    with pytest.raises(ValueError, match=said):
        check(Short())
    monkeypatch.setattr(claims.registry, "parts", lambda: {"short": Short})
    with pytest.raises(ValueError, match=said):
        command.verify(out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
