"""How claims of the test's own are judged, and the command: its JSON, exit codes, table and folder."""

import json
import math

import pytest

from particlegvi.cli import main
from particlegvi.verification import claims, command
from particlegvi.verification.claim import Check, Claim, Experiment, check
from particlegvi.verification.picture import Picture

from ..refusals import refuse


def made(label, right, wrong):
    class Fake(Claim):
        """A number and a bound. Wrong: another number."""

        name, claim, source, wrong = label, f"the claim of {label}", "no source", "another number"

        def measure(self, seed, wrong, picture):
            value = others if wrong else own
            if isinstance(value, BaseException):
                raise value
            picture.dots([0.0], [value])
            return Check("a number", value, 1.0)

    own, others = right, wrong
    return Fake


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
@pytest.mark.parametrize("measured", [-1.0, 0.0, 1e-9, 0.5, 1.0, 1.5, math.inf, math.nan])
@pytest.mark.parametrize("bound", [0.0, 1e-9, 1.0])
def test_the_load_is_at_most_one_just_where_a_bound_holds(measured, bound, relation):
    made = Check("q", measured, bound, relation)
    assert (made.load <= 1.0) == made.holds


def test_the_decisive_check_is_the_one_that_is_missed():
    experiment = Experiment((Check("a", 0.1, 1.0), Check("b", 3.0, 2.0), Check("c", 5.0, 2.0, ">=")))
    assert experiment.decisive.quantity == "b"
    assert not experiment.holds and experiment.measured


@pytest.mark.parametrize(
    ("right", "wrong", "verdict", "control", "words"),
    [
        (0.5, 2.0, "holds", "failed", ""),
        (0.5, math.inf, "holds", "failed", ""),
        (1.5, 2.0, "fails", "failed", "a number: 1.5, which should be <= 1"),
        (math.nan, 2.0, "fails", "failed", "a number: nan"),
        (0.5, 0.7, "holds", "passed", "the wrong variant should fail and does not: another number"),
        (0.5, math.nan, "holds", "passed", "the wrong variant should fail and does not: another number"),
        (ArithmeticError("broke"), 2.0, "fails", "failed", "the experiment: ArithmeticError: broke"),
        (0.5, ArithmeticError("broke"), "holds", "passed", "the wrong variant: ArithmeticError: broke"),
    ],
)
def test_verdict_control_exit_code_and_words(registered, capsys, right, wrong, verdict, control, words):
    registered(first=(0.5, 2.0), second=(right, wrong))
    outcome = check(claims.registry["second"]())
    assert (outcome.verdict, outcome.control) == (verdict, control)
    good = verdict == "holds" and control == "failed"
    assert outcome.good == good and ("broke" in outcome.error) == ("broke" in words)
    assert main(["verify", "--quiet"]) == (0 if good else 1)
    out = capsys.readouterr().out
    assert words in out and "first" not in out and bool(out) != good
    assert main(["verify", "--json"]) == (0 if good else 1)
    first, second = json.loads(capsys.readouterr().out)
    assert first["verdict"] == "holds" and (second["verdict"], second["control"]) == (verdict, control)
    assert second["measured"] is None or math.isfinite(second["measured"])


def test_a_claim_without_a_text_is_refused_before_anything_is_measured(registered, tmp_path):
    registered(short=(AssertionError(), 1.0))
    part = claims.registry["short"]
    del part.wrong
    for call in (lambda: check(part()), lambda: command.verify(out=tmp_path / "out")):
        refuse(call, "^the claim Fake must have a text as its wrong$")
    assert not (tmp_path / "out").exists()


def test_json_is_the_contract_and_nothing_else(registered, capsys):
    registered(first=(0.5, 2.0), second=(1.5, 3.0))
    assert main(["verify", "--json"]) == 1
    captured = capsys.readouterr()
    first, second = json.loads(captured.out)
    assert captured.err == ""
    expected = {
        "name": "first", "claim": "the claim of first", "source": "no source", "measured": 0.5, "bound": 1.0,
        "verdict": "holds", "control": "failed", "relation": "<=", "control_measured": 2.0,
    }  # fmt: skip
    assert expected.items() <= first.items()
    assert second["verdict"] == "fails"


def test_the_folder(registered, tmp_path, capsys):
    registered(first=(0.5, 2.0), second=(ArithmeticError("broke"), 2.0))
    out = tmp_path / "deep" / "report"
    assert main(["verify", "--out", str(out)]) == 1
    assert sorted(path.name for path in out.iterdir()) == ["first.png", "verify.json"]
    first, second = json.loads((out / "verify.json").read_text())
    assert first["figure"] == "first.png" and second["figure"] is None
    capsys.readouterr()
    assert main(["verify", "--out", str(out)]) == 2
    assert "exists already" in capsys.readouterr().err
    (out / "mine.txt").write_text("kept")
    assert main(["verify", "first", "--out", str(out), "--overwrite", "--no-figure"]) == 0
    assert sorted(path.name for path in out.iterdir()) == ["mine.txt", "verify.json"]
    (rows,) = json.loads((out / "verify.json").read_text())
    assert "figure" not in rows


def test_a_folder_of_something_else_is_not_overwritten(registered, tmp_path, capsys):
    registered(first=(0.5, 2.0))
    (tmp_path / "first.png").write_text("mine")
    assert main(["verify", "--out", str(tmp_path), "--overwrite"]) == 2
    assert "not the folder of a report" in capsys.readouterr().err
    assert (tmp_path / "first.png").read_text() == "mine"
    for place in ("", str(tmp_path / "first.png"), str(tmp_path / "first.png" / "below")):
        assert main(["verify", "--out", place]) == 2


def test_an_interrupted_run_leaves_what_is_done(registered, tmp_path, capsys):
    registered(first=(0.5, 2.0), second=(KeyboardInterrupt(), 2.0))
    out = tmp_path / "report"
    assert main(["verify", "--out", str(out)]) == 130
    assert [row["name"] for row in json.loads((out / "verify.json").read_text())] == ["first"]
    assert "interrupted" in capsys.readouterr().err


def test_a_picture_that_fails_leaves_the_verdict(registered, tmp_path, capsys, monkeypatch):
    registered(first=(0.5, 2.0))
    monkeypatch.setattr(Picture, "draw", lambda *_: 1 / 0)
    assert main(["verify", "--json", "--out", str(tmp_path / "report")]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)[0]["figure"] is None
    assert "first.png cannot be drawn" in captured.err
